// Cost functions that rows of the operator table share: each estimates the floating-point
// operations of one use of an operator and the bytes that it has to move. The files of
// corpora/operators/table/ put them into the rows, or call them in cost functions of one row.
#pragma once

#include "corpora/operators/operator_row.h"

namespace kernelmill {

// Bytes of all operands and results, each counted once.
std::int64_t BytesMoved(const OperatorUse& use, std::span<const TensorType> results);

// `flops` per element of the first result.
template <int flops>
OperatorCost CostPerElement(const OperatorUse& use, std::span<const TensorType> results) {
  return {flops * results[0].shape.Elements(), BytesMoved(use, results)};
}

// `flops` per element of the first operand, for reductions, norms and scans.
template <int flops>
OperatorCost CostPerInput(const OperatorUse& use, std::span<const TensorType> results) {
  return {flops * use.shape(0).Elements(), BytesMoved(use, results)};
}

// Views: nothing is read or written.
inline OperatorCost CostOfView(const OperatorUse&, std::span<const TensorType>) { return {}; }

// Each element of the result is read once and written once.
OperatorCost CostOfCopy(const OperatorUse& use, std::span<const TensorType> results);

}  // namespace kernelmill
