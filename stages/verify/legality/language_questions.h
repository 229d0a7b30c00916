// Finds questions about types whose answers differ between language standards. The judge compiles
// all texts as C++20, and a device's build may be an earlier one.
#pragma once

#include <string_view>
#include <vector>

#include "corpora/records/verdict.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {

// Findings of kind "fallback" for traits of namespace std that ask how objects of a type are made,
// compared and laid out, for the compiler's own, for the detection of expressions, and for u8
// literals. What a type is, such as a floating-point number, is the same in all standards. A
// static_assert may ask for anything: it chooses no code.
std::vector<VerdictFinding> LanguageQuestions(const SyntaxTree& tree, std::string_view file);

}  // namespace kernelmill
