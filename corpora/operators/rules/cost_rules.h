// What the rows' cost functions share.
#pragma once

#include "corpora/operators/operator_row.h"

namespace kernelmill {

// Of all operands and results, once each.
std::int64_t BytesMoved(const OperatorUse& use, std::span<const TensorType> results);

// `flops` for each element of the first result.
template <int flops>
OperatorCost CostPerElement(const OperatorUse& use, std::span<const TensorType> results) {
  return {flops * results[0].shape.Elements(), BytesMoved(use, results)};
}

// `flops` for each element of the first operand: reductions, norms, scans.
template <int flops>
OperatorCost CostPerInput(const OperatorUse& use, std::span<const TensorType> results) {
  return {flops * use.shape(0).Elements(), BytesMoved(use, results)};
}

// Views: nothing is read or written.
inline OperatorCost CostOfView(const OperatorUse&, std::span<const TensorType>) { return {}; }

// Elements are written to the result and, as many, read from somewhere.
OperatorCost CostOfCopy(const OperatorUse& use, std::span<const TensorType> results);

}  // namespace kernelmill
