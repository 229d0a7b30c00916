#include "corpora/operators/rules/loss_rules.h"

namespace kernelmill {

bool InferReducedLoss(const OperatorUse& use, TensorType type, Types* results) {
  if (ReductionOf(use) != kNone) type.shape = {};
  results->push_back(type);
  return true;
}

bool AppendReducedLossRange(const OperatorUse& use, DType dtype, const Range& element,
                            std::int64_t count, Ranges* results) {
  if (ReductionOf(use) != kSum) return AddRange(dtype, element, results);
  // The element losses are not independent, so their sum may deviate as much as each of them.
  const double n = double(count);
  return AddRange(dtype, {n * element.low, n * element.high, SumOf(element, count).scale}, results);
}

bool InferLossOfOneShape(const OperatorUse& use, Types* results) {
  for (std::size_t i = 1; i < use.operands.size(); ++i) {
    if (use.shape(int(i)) != use.shape(0)) return false;
  }
  return InferLoss<>(use, results);
}

std::int64_t CountElementLosses(const OperatorUse& use) {
  Shape shape;
  return BroadcastAll(use, &shape) ? shape.Elements() : 1;
}

}  // namespace kernelmill
