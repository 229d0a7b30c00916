// Variables of host code that outlive a call and count: what they decide is no function of the
// inputs.
#pragma once

#include <string_view>
#include <vector>

#include "corpora/records/verdict.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {

// Findings "fallback", one for each condition of a C++ text that such a variable decides.
std::vector<VerdictFinding> DecidedByCalls(const SyntaxTree& tree, std::string_view file);

}  // namespace kernelmill
