// Finds C++ host conditions on a variable that persists between calls and counts them. A result
// that depends on the number of calls is not a function of the inputs. The legality rules for
// native text call it.
#pragma once

#include <string_view>
#include <vector>

#include "corpora/records/verdict.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {

// Findings "fallback", one for each such condition of a C++ text.
std::vector<VerdictFinding> ConditionsOnCallCount(const SyntaxTree& tree, std::string_view file);

}  // namespace kernelmill
