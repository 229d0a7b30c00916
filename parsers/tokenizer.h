// Counts the tokens of a text exactly as a model's tokenizer does, from its tokenizer.json (the
// file of the Hugging Face `tokenizers` library). The step "measure" counts the rows of a dataset
// with it when the configuration names such a file. It supports byte-level BPE as in GPT-2, Llama
// 3, Qwen, DeepSeek and StarCoder. A file with any setting that is not known here and would change
// a count is rejected, so that counts are never silently wrong. The one exception: text is assumed
// to be in Unicode normalization form C, as code is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/digest.h"
#include "parsers/byte_pairs.h"
#include "parsers/split_pattern.h"

namespace kernelmill {

// Immutable after construction, hence thread-safe.
class Tokenizer {
 public:
  // kNotFound, or kConfig with the unsupported setting; the message names the file.
  static Result<Tokenizer> Load(const std::string& path);
  static Result<Tokenizer> Parse(std::string_view json);

  // "sha256:<hex>" of the file's bytes.
  const std::string& name() const { return name_; }

  // Only of the text: without tokens that mark its beginning or end, and without a chat template.
  Result<std::int64_t> Count(std::string_view text) const;

 private:
  Status ReadAddedTokens(const Json& json);
  Status ReadPreTokenizer(const Json& json);
  Result<std::int64_t> CountOrdinary(std::string_view text) const;

  std::string name_;
  std::vector<std::string> added_;      // Tokens that are matched in the text before anything else.
  std::vector<SplitPattern> patterns_;  // Applied in order, each to the pieces of the previous one.
  bool prefix_space_ = false;           // A space is put before text that does not begin with one.
  BytePairs pairs_;
};

}  // namespace kernelmill
