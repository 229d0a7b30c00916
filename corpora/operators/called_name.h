// Maps the names by which torch and its users call an operator to rows of the operator table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

// "torch.Tensor.add_" -> "add", "torch.Tensor.__pow__" -> "pow", "torch.Tensor.T.__get__" -> "T".
std::string CalledName(std::string_view function);

// The rows that a call may refer to, by its name in an annotation: "gelu", "add_", "truediv",
// "rmul". For example, "mul" has one row for a tensor and one for a number as the second operand.
const std::vector<const OperatorRow*>& RowsCalled(std::string_view name);

}  // namespace kernelmill
