// Finds macros that conditional compilation asks for and that only a compiler or its headers
// define: the judge's build and a device's may then compile different texts. Names in code that
// tell where it was built, or where a tensor lies, are found too. The legality rules for native
// text call it.
//
// Names that the language reserves, and those of CUDA's and torch's headers, are refused but for a
// list whose values the judge's builds share with a device's. Any other name is the text's own: it
// has the same value everywhere, that of its flags or of its own definition.
#pragma once

#include <string_view>
#include <vector>

#include "corpora/records/verdict.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {

// Findings "fallback", one for each such macro of a directive; "torch_compute" for a macro that pastes
// the name of a function or method together, which may be any.
std::vector<VerdictFinding> AskedMacros(const SyntaxTree& tree, std::string_view file);

}  // namespace kernelmill
