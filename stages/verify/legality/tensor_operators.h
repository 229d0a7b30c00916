// Finds C++ operators on tensors in the text of an extension: torch overloads them, so that a + b
// calls torch, by no name and also in code that no build of the judge compiles. The legality rules
// for native text call it.
//
// A variable is a tensor if it is declared as one, or with `auto` from one, from a view of one or
// from memory that torch allocates. Not seen are tensors in containers and those that functions of
// the text return; their operators show in the symbols that the library imports.
#pragma once

#include <string_view>
#include <vector>

#include "corpora/records/verdict.h"
#include "parsers/syntax_tree.h"
#include "stages/verify/legality/device_branch.h"

namespace kernelmill {

// Findings "torch_compute", one for each such operator outside of the ranges `skipped`. Functions of
// a backward pass, by their names, may use them.
std::vector<VerdictFinding> OperatorsOnTensors(const SyntaxTree& tree, std::string_view file,
                                               const std::vector<TextRange>& skipped);

}  // namespace kernelmill
