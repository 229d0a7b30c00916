// Converts a group whose head is a product (linear, matmul, mm, bmm, mv, dot, addmm, addmv,
// baddbmm, addbmm, outer, einsum, tensordot or bilinear) to a sum of products. Called by
// ContractionSpecOf() (contraction_spec.h); std::nullopt when the head is another operator, or a
// form of one of these that is no plain sum of products.
#pragma once

#include <optional>

#include "generators/lowering/contractions/contraction_spec.h"

namespace kernelmill {

std::optional<ContractionSpec> ProductSpecOf(GroupScope* scope);

}  // namespace kernelmill
