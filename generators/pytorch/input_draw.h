// Writes the Python expression by which get_inputs() of a generated module draws one tensor, such
// as torch.randn(2, 64): AppendInputStart() up to the sizes, which the caller writes,
// AppendInputEnd() the rest. Called by PyTorchSource (pytorch_source.h).
#pragma once

#include <string>

#include "corpora/operators/operator_graph.h"

namespace kernelmill {

struct InputDraw {
  enum class Kind : std::uint8_t { kNormal, kUniform, kIntegers, kBools, kConstant };
  Kind kind = Kind::kNormal;
  bool tuple = false;           // The sizes are in parentheses of their own.
  std::string comparison = "< 0.5";  // For bools: the comparison with random numbers in [0, 1).
};

// The kind of the expression.
InputDraw::Kind DrawKindOf(const Value& value);
// Appends the expression up to the sizes (for integers up to their upper bound). After those were
// written, AppendInputEnd() appends the rest.
InputDraw AppendInputStart(const Value& value, std::string* text);
void AppendInputEnd(const InputDraw& draw, const Value& value, std::string* text);

}  // namespace kernelmill
