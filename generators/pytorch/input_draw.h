// Writes the expression by which get_inputs() draws a tensor.
#pragma once

#include <string>

#include "corpora/operators/operator_graph.h"

namespace kernelmill {

struct InputDraw {
  enum class Kind : std::uint8_t { kNormal, kUniform, kIntegers, kBools, kConstant };
  Kind kind = Kind::kNormal;
  bool tuple = false;           // The sizes are in parentheses of their own.
  std::string truth = "< 0.5";  // For bools: the comparison with random numbers in [0, 1).
};

// The kind of the expression.
InputDraw::Kind DrawKindOf(const Value& value);
// Appends the expression up to the sizes (for integers up to their upper bound). After those were
// written, AppendInputEnd() appends the rest.
InputDraw AppendInputStart(const Value& value, std::string* text);
void AppendInputEnd(const InputDraw& draw, const Value& value, std::string* text);

}  // namespace kernelmill
