#include "corpora/operators/rules/index_rules.h"

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

NewTensor IndexTensor(const Shape& shape, std::int64_t size) {
  return {{DType::kInt64, shape}, Range::Uniform(0, double(size - 1))};
}

}  // namespace kernelmill
