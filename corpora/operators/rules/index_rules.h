// Rules that the rows of gather and scatter operators share (corpora/operators/table/gathers.cc and
// scatters.cc). Their operands are input, index and source, and their first attribute is the
// indexed dimension.
#pragma once

#include "corpora/operators/operator_row.h"

namespace kernelmill {

// The positions of the operands. Attribute 0 is `dim`.
inline constexpr int kInput = 0, kIndex = 1, kSource = 2;

inline bool IsIndex(DType dtype) { return dtype == DType::kInt64 || dtype == DType::kInt32; }
// Finds the indexed dimension of the input; false when attribute 0 is out of range.
bool IndexedDimension(const OperatorUse& use, int* dim);
// Whether all indices in `range` are valid for that dimension. Negative ones are not.
bool IndexesFit(const OperatorUse& use, const Range& range);
// Whether `index` is no larger than `shape` in every dimension except `dim`.
bool FitsExceptAlong(const Shape& index, const Shape& shape, int dim);
// Finds the indexed dimension of the input; false unless operand kIndex is an index of the input's
// rank that is no larger than the input in the other dimensions.
bool IndexesAlong(const OperatorUse& use, int* dim);
// An index tensor of this shape for a dimension of `size` elements.
NewTensor IndexTensor(const Shape& shape, std::int64_t size);

}  // namespace kernelmill
