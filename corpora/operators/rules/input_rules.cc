#include "corpora/operators/rules/input_rules.h"

#include <cmath>

namespace kernelmill {

Range UsualRange(DType dtype) {
  if (dtype == DType::kBool) return {0, 1, 0.70710678};
  if (dtype == DType::kUInt8) return Range::Uniform(0, 9);
  return IsFloating(dtype) ? Range::Normal(1) : Range::Uniform(-9, 9);
}

bool AppendBroadcast(Draw* draw, int count, NewTensors* inputs) {
  const TensorType first = (*inputs)[0].type;
  for (int i = 0; i < count; ++i) {
    TensorType type = first;
    if (draw->Chance(0.25)) {
      while (type.shape.rank() > 0 && draw->Chance(0.4)) type.shape.Erase(0);
      for (int j = 0; j < type.shape.rank(); ++j) {
        if (draw->Chance(0.3)) type.shape[j] = 1;
      }
    }
    inputs->push_back({type, UsualRange(type.dtype)});
  }
  return true;
}

void NarrowRange(double low, double high, NewTensor* tensor) {
  if (tensor->range.low >= low && tensor->range.high <= high) return;
  const DType dtype = tensor->type.dtype;
  if (!IsFloating(dtype)) {
    low = std::ceil(dtype == DType::kBool || dtype == DType::kUInt8 ? std::fmax(low, 0) : low);
    high = std::floor(dtype == DType::kBool ? std::fmin(high, 1) : high);
  }
  if (low <= high) tensor->range = Range::Uniform(low, high);
}

}  // namespace kernelmill
