// What readers expect around a call: the names of members and results, and the arguments that a
// module takes before those which the operator's row lists.
#pragma once

#include <span>
#include <string_view>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

// An argument of an nn module's constructor that is written without its name, in this order: a size
// of an operand, or an attribute of the row.
struct ModuleArgument {
  int operand = -1;
  int dimension = 0;           // From the end where negative.
  std::string_view attribute;  // Where `operand` is -1.
};
// Empty where all arguments are attributes, given by name.
std::span<const ModuleArgument> ModuleArguments(const OperatorRow& op);

// What an author calls the module in self: "conv", "norm", "fc".
std::string_view MemberWord(const OperatorRow& op, std::uint64_t choice);
// A usual name for the result of the operator: "gate", "scores".
std::string_view ResultWord(const OperatorRow& op, std::uint64_t choice);
// For an operator with several results.
std::string_view ResultWord(const OperatorRow& op, int result);
// An argument of the constructor that no attribute is: nonlinearity="relu". Empty where there is
// none.
std::string_view FixedArgument(const OperatorRow& op);
// Whether the module takes this attribute where it is built; others where it is called, or never.
bool IsConstructed(std::string_view attribute);
// Whether the function takes the attribute `dim` between its first operand and the others:
// torch.gather(x, 1, index).
bool TakesDimFirst(const OperatorRow& op);
// Whether torch's function has no default for this attribute, though the row has.
bool IsRequired(const OperatorRow& op, std::string_view attribute);
// Whether an attribute of this name is usually written without it where it can be.
bool IsPositional(const OperatorRow& op, std::string_view attribute);

}  // namespace kernelmill
