// Guesses how to build and call a sliced module: the arguments of its constructor and the inputs of
// its forward(), by evaluating its text without running it (evaluate/evaluator.h). Runs in the
// confined child for the step "slice" (arguments_operation.h); "admit" later tries the guesses.
#pragma once

#include <string>
#include <vector>

#include "corpora/records/mined_module.h"
#include "parsers/python_file.h"

namespace kernelmill {

struct ArgumentGuess {
  std::string code;               // The slice, changed so that its constructor takes positional
                                  // arguments.
  std::vector<ArgumentSet> sets;  // Likeliest first; empty when nothing can be guessed.
  std::string detail;             // Why `sets` is empty.
  std::int64_t redacted = 0;      // Replacements of personal data in the slice.
};

// `code` defines Model; `calls` are the repository's own constructions of it, best first.
ArgumentGuess GuessArguments(const std::string& code, const std::vector<PythonCall>& calls);

}  // namespace kernelmill
