// How get_inputs() makes a tensor: the expression around its sizes.
#pragma once

#include <string>

#include "corpora/operators/operator_graph.h"

namespace kernelmill {

struct InputDraw {
  enum class Kind : std::uint8_t { kNormal, kUniform, kIntegers, kBools, kConstant };
  Kind kind = Kind::kNormal;
  bool tuple = false;           // The sizes stand in parentheses of their own.
  std::string truth = "< 0.5";  // Of bools: what random numbers between 0 and 1 are compared with.
};

// Appends everything up to the sizes, of integers up to what they are less than, then, after they were written, everything behind them.
InputDraw AppendInputStart(const Value& value, std::string* text);
void AppendInputEnd(const InputDraw& draw, const Value& value, std::string* text);

}  // namespace kernelmill
