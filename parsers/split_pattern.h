// Splits text by a regular expression, as tokenizers do before they merge bytes. Called by
// Tokenizer (tokenizer.h), with the patterns of a tokenizer.json. Only this module uses PCRE2.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/status.h"

struct pcre2_real_code_8;

namespace kernelmill {

// Thread-safe.
class SplitPattern {
 public:
  // kConfig when `regex` is not valid. Character classes are those of Unicode.
  static Result<SplitPattern> Compile(const std::string& regex);

  // Appends the pieces of `text`, which must be UTF-8: every match and the text between matches.
  // They point into `text`, are not empty, and follow each other without a gap. kConfig when the
  // regular expression exceeds the backtracking limit.
  Status Split(std::string_view text, std::vector<std::string_view>* pieces) const;

 private:
  struct Free {
    void operator()(pcre2_real_code_8* code) const;
  };
  std::string regex_;
  std::unique_ptr<pcre2_real_code_8, Free> code_;
};

}  // namespace kernelmill
