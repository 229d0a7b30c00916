// Functions that rows of the operator table share for creating inputs. When the generator of tasks
// tries an operator on a first input, the row's function appends the other inputs that the operator
// takes, or narrows the range of the first input's values. They return false when the first input
// does not fit.
#pragma once

#include <vector>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

using NewTensors = std::vector<NewTensor>;

// The usual range of values for inputs of this dtype.
Range UsualRange(DType dtype);

// Adds `count` inputs of the first input's type.
template <int count>
bool InputsAlike(Draw*, std::span<const Attribute>, NewTensors* inputs) {
  for (int i = 0; i < count; ++i) {
    inputs->push_back({(*inputs)[0].type, UsualRange((*inputs)[0].type.dtype)});
  }
  return true;
}

// Adds `count` inputs of the first input's dtype. Occasionally one has dimensions of size 1 or
// lacks outer dimensions, so that it is broadcast.
bool AppendBroadcast(Draw* draw, int count, NewTensors* inputs);
template <int count>
bool InputsBroadcast(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  return AppendBroadcast(draw, count, inputs);
}

// Narrows the tensor's range to [low, high] if it exceeds it and the dtype has values there.
void NarrowRange(double low, double high, NewTensor* tensor);
// The first input is the only one, and its values are limited.
template <double low, double high>
bool InputWithin(Draw*, std::span<const Attribute>, NewTensors* inputs) {
  NarrowRange(low, high, &(*inputs)[0]);
  return true;
}

}  // namespace kernelmill
