// Converts a group whose head is a product (linear, matmul and its kin from mv to bmm, addmm and
// its kin, outer, einsum, tensordot, bilinear) to a sum of products. Called by ContractionSpecOf()
// (contraction_spec.h); std::nullopt when the head is another operator.
#pragma once

#include <optional>

#include "generators/lowering/contractions/contraction_spec.h"

namespace kernelmill {

std::optional<ContractionSpec> ProductSpecOf(GroupScope* scope);

}  // namespace kernelmill
