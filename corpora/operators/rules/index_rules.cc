#include "corpora/operators/rules/index_rules.h"

#include <algorithm>

#include "corpora/operators/rules/type_rules.h"

namespace kernelmill {

bool IndexedDimension(const OperatorUse& use, int* dim) {
  return WrapDimension(use.integer(0), use.shape(kInput).rank(), dim);
}

bool IndexesFit(const OperatorUse& use, const Range& range) {
  int dim = 0;
  const Shape& shape = use.shape(kInput);
  if (!IndexedDimension(use, &dim)) return false;
  const std::int64_t size = shape.rank() == 0 ? 1 : shape[dim];
  return range.low >= 0 && range.high < double(size);
}

bool FitsExceptAlong(const Shape& index, const Shape& shape, int dim) {
  for (int i = 0; i < index.rank(); ++i) {
    if (i != dim && index[i] > shape[i]) return false;
  }
  return true;
}

bool IndexesAlong(const OperatorUse& use, int* dim) {
  const TensorType &input = use.operand(kInput), &index = use.operand(kIndex);
  if (!IndexedDimension(use, dim) || !IsIndex(index.dtype)) return false;
  if (std::max(1, input.shape.rank()) != std::max(1, index.shape.rank())) return false;
  return input.shape.rank() != index.shape.rank() || FitsExceptAlong(index.shape, input.shape, *dim);
}

NewTensor IndexTensor(const Shape& shape, std::int64_t size) {
  return {{DType::kInt64, shape}, Range::Uniform(0, double(size - 1))};
}

}  // namespace kernelmill
