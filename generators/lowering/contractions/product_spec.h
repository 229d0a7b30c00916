// Converts matrix products (matmul, linear, einsum, tensordot, bilinear) to contractions.
#pragma once

#include <optional>

#include "generators/lowering/contractions/contraction_spec.h"

namespace kernelmill {

std::optional<ContractionSpec> ProductSpecOf(GroupScope* scope);

}  // namespace kernelmill
