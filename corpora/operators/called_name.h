// Operators as torch and its users call them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

// "torch.Tensor.add_" -> "add", "torch.Tensor.__pow__" -> "pow", "torch.Tensor.T.__get__" -> "T".
std::string CalledName(std::string_view function);

// The rows that a call may be of, by its name in an annotation: "gelu", "add_", "truediv", "rmul".
// Of "mul" those of tensors and of numbers.
const std::vector<const OperatorRow*>& RowsCalled(std::string_view name);

}  // namespace kernelmill
