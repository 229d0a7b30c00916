// Counts tokens as a model does, by its tokenizer.json (the file of the Hugging Face `tokenizers`
// library): byte-level BPE, as GPT-2, Llama 3, Qwen, DeepSeek and StarCoder have it. Whatever in
// the file would change a count and is not known here is refused, so that a count is never nearly
// right in silence. One thing is passed over: text is taken to be in Unicode's form C already, as
// code is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/digest.h"
#include "parsers/byte_pairs.h"
#include "parsers/split_pattern.h"

namespace kernelmill {

// Thread-safe.
class Tokenizer {
 public:
  // kNotFound, or kConfig with what cannot be counted; the message names the file.
  static Result<Tokenizer> Load(const std::string& path);
  static Result<Tokenizer> Parse(std::string_view json);

  // "sha256:<hex>" of the file.
  const std::string& name() const { return name_; }

  // Of text alone: no token at its beginning or end, and none of a chat template.
  Result<std::int64_t> Count(std::string_view text) const;

 private:
  Status ReadAddedTokens(const Json& json);
  Status ReadPreTokenizer(const Json& json);
  Result<std::int64_t> CountOrdinary(std::string_view text) const;

  std::string name_;
  std::vector<std::string> added_;      // Tokens that are found in the text before anything else.
  std::vector<SplitPattern> patterns_;  // One after the other, each cuts what the one before gave.
  bool prefix_space_ = false;           // Text that does not begin with a space gets one.
  BytePairs pairs_;
};

}  // namespace kernelmill
