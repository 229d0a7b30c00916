// Rules that the rows of matrix products share (corpora/operators/table/products.cc and
// added_products.cc): the shape of the result of matmul, and the demand for one dtype.
#pragma once

#include "corpora/operators/rules/type_rules.h"

namespace kernelmill {

// The shape of matmul's result, with vectors on either side and broadcast batches. False when the
// shapes do not fit.
bool MatmulShape(const Shape& a, const Shape& b, Shape* result);
// Whether all operands have one dtype, as torch's products require.
bool HaveOneDType(const OperatorUse& use);

}  // namespace kernelmill
