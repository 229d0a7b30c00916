// Products of matrices and what is like them (linear, einsum, tensordot, bilinear) as contractions.
#pragma once

#include <optional>

#include "generators/lowering/contractions/contraction_spec.h"

namespace kernelmill {

std::optional<ContractionSpec> ProductSpecOf(GroupScope* scope);

}  // namespace kernelmill
