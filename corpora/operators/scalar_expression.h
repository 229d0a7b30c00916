// Writes the C++ text that computes one element of an elementwise operator's result from the texts
// of its operands' elements, by the expression in the operator's row ("$0 * {alpha}"). Lowering
// writes kernels with it, and a test compiles the same text and compares it with torch.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

// `value` as a C++ literal of the type in which `dtype` is computed (float for half precision),
// converted as torch does it: "0.5f", "-INFINITY", "3", "true". Integers wrap around.
std::string Literal(double value, DType dtype);

// The text for an attribute, or std::nullopt to write its value as a literal.
using AttributeText = std::function<std::optional<std::string>(std::string_view attribute)>;

// The row's expression for this use. `operands` (names, or text in parentheses, of the use's
// ScalarType) replace $0, $1, …, and literals of the ScalarType replace {attributes} unless
// `attribute_text` has a text for them. Numbers that torch rounds to half precision before it
// compares are rounded (OperatorRow::rounds_numbers). A factor of one is omitted. Empty when the
// row has no expression. The expression is the same for every floating type, so kernels that
// compute in double call float functions (expf) too.
std::string ScalarExpression(const OperatorRow& row, const OperatorUse& use, DType result,
                             std::span<const std::string> operands,
                             const AttributeText& attribute_text = nullptr);

}  // namespace kernelmill
