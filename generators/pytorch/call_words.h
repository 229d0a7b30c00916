// Usual names when writing a PyTorch call: those of members and results, and which arguments are
// written without their names.
#pragma once

#include <string_view>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

// What an author calls the module in self: "conv", "norm", "fc".
std::string_view MemberWord(const OperatorRow& op, std::uint64_t choice);
// A usual name for the result of the operator: "gate", "scores".
std::string_view ResultWord(const OperatorRow& op, std::uint64_t choice);
// For an operator with several results.
std::string_view ResultWord(const OperatorRow& op, int result);
// Whether the module takes this attribute where it is built; others where it is called, or never.
bool IsConstructed(std::string_view attribute);
// Whether an attribute of this name is usually written without it where it can be.
bool IsPositional(const OperatorRow& op, std::string_view attribute);

}  // namespace kernelmill
