// What the rows' `inputs` functions share: the inputs that go with a first one.
#pragma once

#include <vector>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

using NewTensors = std::vector<NewTensor>;

// Values as inputs of this dtype usually have them.
Range UsualRange(DType dtype);

// `count` more of the first's type.
template <int count>
bool InputsAlike(Draw*, std::span<const Attribute>, NewTensors* inputs) {
  for (int i = 0; i < count; ++i) {
    inputs->push_back({(*inputs)[0].type, UsualRange((*inputs)[0].type.dtype)});
  }
  return true;
}

// `count` more of the first's dtype; now and then one of them has dimensions of size 1, or lacks
// outer ones.
bool AppendBroadcast(Draw* draw, int count, NewTensors* inputs);
template <int count>
bool InputsBroadcast(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  return AppendBroadcast(draw, count, inputs);
}

// Its values limited to [low, high], where they may leave it and the dtype has such values.
void Confine(double low, double high, NewTensor* tensor);
// One input alone, limited.
template <double low, double high>
bool InputWithin(Draw*, std::span<const Attribute>, NewTensors* inputs) {
  Confine(low, high, &(*inputs)[0]);
  return true;
}

}  // namespace kernelmill
