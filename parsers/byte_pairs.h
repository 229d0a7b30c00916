// Byte pair encoding: how many tokens a piece of text becomes when the bytes that a vocabulary
// prefers are merged, best pair first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

// Thread-safe.
class BytePairs {
 public:
  // The "model" of a tokenizer.json: type BPE, over all 256 bytes. kConfig when it is anything
  // else.
  static Result<BytePairs> FromJson(const Json& model);

  // O(n log n) in the length of `piece`: a line of a megabyte is one piece to some tokenizers.
  std::int64_t Count(std::string_view piece) const;

 private:
  struct Merge {
    int rank = 0;
    int token = 0;  // What the pair becomes.
  };

  std::int64_t Merged(std::string_view piece) const;
  // The merge of two neighbours, or nullptr.
  const Merge* Find(int left, int right) const;

  std::unordered_map<std::string, int> tokens_;  // By their bytes.
  std::unordered_map<std::uint64_t, Merge> merges_;
  int byte_tokens_[256] = {};
  bool whole_first_ = false;  // A piece that is a token is one token, whatever the merges say.
};

}  // namespace kernelmill
