// Finds the native source in the strings of an answer's Python text, for its fingerprint. Unlike
// ReadInlineCuda() (parsers/inline_cuda.h), which keeps line numbers and takes no other string, it
// gives each string's value: escapes are resolved, adjacent literals joined, and an f-string's
// fields replaced by a name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parsers/syntax_tree.h"

namespace kernelmill {

// The values of the strings with native source, in order. `root`: the tree of the Python text.
std::vector<std::string> NativeStrings(const SyntaxNode& root);

}  // namespace kernelmill
