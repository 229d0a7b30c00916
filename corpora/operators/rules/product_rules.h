// What matrix products share.
#pragma once

#include "corpora/operators/rules/type_rules.h"

namespace kernelmill {

// matmul's: vectors on either side, and batches that broadcast. False where they do not fit.
bool MatmulShape(const Shape& a, const Shape& b, Shape* result);
// Tensors that are multiplied have one dtype.
bool OneDType(const OperatorUse& use);

}  // namespace kernelmill
