#include "corpora/operators/rules/cost_rules.h"

namespace kernelmill {

std::int64_t BytesMoved(const OperatorUse& use, std::span<const TensorType> results) {
  std::int64_t bytes = 0;
  for (const TensorType* operand : use.operands) {
    if (operand != nullptr) bytes += operand->Bytes();
  }
  for (const TensorType& result : results) bytes += result.Bytes();
  return bytes;
}

OperatorCost CostOfCopy(const OperatorUse&, std::span<const TensorType> results) {
  std::int64_t bytes = 0;
  for (const TensorType& result : results) bytes += 2 * result.Bytes();
  return {0, bytes};
}

}  // namespace kernelmill
