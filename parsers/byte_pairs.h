// Byte pair encoding, the part of Tokenizer (tokenizer.h) that counts the tokens of one piece of
// text: it merges adjacent tokens, the pair of the lowest rank first, until no pair has a merge.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

// Immutable after construction, hence thread-safe.
class BytePairs {
 public:
  // Reads the "model" object of a tokenizer.json: type BPE with a token for each of the 256 bytes.
  // kConfig for any other model.
  static Result<BytePairs> FromJson(const Json& model);

  // The number of tokens. O(n log n) in the length of `piece`, because some tokenizers take a line
  // of a megabyte as one piece.
  std::int64_t Count(std::string_view piece) const;

 private:
  struct Merge {
    int rank = 0;
    int token = 0;  // The token that replaces the pair.
  };

  std::int64_t Merged(std::string_view piece) const;
  // The merge of two adjacent tokens, or nullptr.
  const Merge* Find(int left, int right) const;

  std::unordered_map<std::string, int> tokens_;  // By the bytes of the token.
  std::unordered_map<std::uint64_t, Merge> merges_;
  int byte_tokens_[256] = {};
  // A piece that is a token counts as one, without regard to the merges.
  bool whole_first_ = false;
};

}  // namespace kernelmill
