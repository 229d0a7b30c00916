// Finds conditions in host code that depend on a variable which persists between calls and counts
// them. A result that depends on the number of calls is not a function of the inputs.
#pragma once

#include <string_view>
#include <vector>

#include "corpora/records/verdict.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {

// Findings "fallback", one for each such condition of a C++ text.
std::vector<VerdictFinding> DecidedByCalls(const SyntaxTree& tree, std::string_view file);

}  // namespace kernelmill
