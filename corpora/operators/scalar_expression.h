// The scalar expression of an elementwise operator as C++ text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

// A number as a C++ literal of what `dtype` computes in (float for half precision): "0.5f",
// "(-3)", "INFINITY".
std::string Literal(double value, DType dtype);

// The row's expression for this use, with `operands` in place of $0, $1 … (names, or text in
// parentheses) and literals in place of {attributes}; empty where the row has none. Kernels in
// double call the functions of float: the expression is theirs.
std::string ScalarExpression(const OperatorRow& row, const OperatorUse& use, DType result,
                             std::span<const std::string> operands);

}  // namespace kernelmill
