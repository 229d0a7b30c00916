// The scalar language: C++ text for one element of an elementwise operator's result. The kernels
// that lowering writes and the comparison of the operator table with torch are both made of it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

// `value`, converted to `dtype` as torch converts it, as a C++ literal of the type that `dtype`
// computes in (float for half precision): "0.5f", "-INFINITY", "3", "true". Integers wrap around.
std::string Literal(double value, DType dtype);

// The text that stands for an attribute; nothing where its value does.
using AttributeText = std::function<std::optional<std::string>(std::string_view attribute)>;

// The row's expression for this use: `operands` (names, or text in parentheses, of the use's
// ScalarType) stand for $0, $1 …, and literals of the ScalarType for {attributes}, unless
// `attribute_text` has a text for them. Numbers that torch rounds to half precision before it
// compares are rounded (OperatorRow::rounds_numbers). A factor of one is left out. Empty where the
// row has no expression. Kernels in double call the functions of float: the expression is theirs.
std::string ScalarExpression(const OperatorRow& row, const OperatorUse& use, DType result,
                             std::span<const std::string> operands,
                             const AttributeText& attribute_text = nullptr);

}  // namespace kernelmill
