// Splits the text of a program into tokens, for comparisons of texts (program_grams.h): comments,
// docstrings and all formatting are left out. It is no parser: any text has tokens, and one pass of
// constant memory finds them, so texts of strangers can be compared without a child process.
#pragma once

#include <functional>
#include <string_view>

namespace kernelmill {

enum class ProgramLanguage {
  kPython,  // Native code in its triple-quoted strings is split as kNative.
  kNative,  // CUDA, C and C++.
};

enum class ProgramTokenKind { kName, kNumber, kString, kSign };

struct ProgramToken {
  ProgramTokenKind kind;
  std::string_view text;  // A part of the program's text; a string has its quotes.
};

// Visits the tokens in order. A docstring is a triple-quoted string that begins a line of Python
// outside of brackets. A string or comment without an end reaches to the end of the text.
void ForEachProgramToken(ProgramLanguage language, std::string_view text,
                         const std::function<void(const ProgramToken&)>& visit);

}  // namespace kernelmill
