// What operators share that take elements, or put them, where an index says.
#pragma once

#include "corpora/operators/operator_row.h"

namespace kernelmill {

// Places of operands; attribute 0 is dim.
inline constexpr int kInput = 0, kIndex = 1, kSource = 2;

inline bool IsIndex(DType dtype) { return dtype == DType::kInt64 || dtype == DType::kInt32; }
// The input's dimension that is indexed; false where there is none such.
bool IndexedDimension(const OperatorUse& use, int* dim);
// Whether indexes of this range lie along it; none is below 0.
bool IndexesFit(const OperatorUse& use, const Range& range);
// Whether `index` is no larger than `shape`, but along `dim`.
bool WithinBut(const Shape& index, const Shape& shape, int dim);
// An index of that shape into `size` elements.
NewTensor IndexTensor(const Shape& shape, std::int64_t size);

}  // namespace kernelmill
