// How to build and call a sliced module: arguments of its constructor and inputs of its forward.
#pragma once

#include <string>
#include <vector>

#include "corpora/records/module_candidate.h"
#include "parsers/python_file.h"

namespace kernelmill {

struct ArgumentGuess {
  std::string code;               // The slice, its constructor made positional.
  std::vector<ArgumentSet> sets;  // Best first; empty when nothing can be guessed.
  std::string detail;             // Why there is no set.
  std::int64_t redacted = 0;      // Replacements of personal data in the slice.
};

// `code` defines Model; `calls` are constructions of it in its repository, best first.
ArgumentGuess GuessArguments(const std::string& code, const std::vector<PythonCall>& calls);

}  // namespace kernelmill
