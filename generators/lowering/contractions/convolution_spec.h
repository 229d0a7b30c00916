// Converts a group whose head is a convolution or a transposed convolution to a sum of products.
// Called by ContractionSpecOf() (contraction_spec.h); std::nullopt when the head is another
// operator.
#pragma once

#include <optional>

#include "generators/lowering/contractions/contraction_spec.h"

namespace kernelmill {

std::optional<ContractionSpec> ConvolutionSpecOf(GroupScope* scope);

}  // namespace kernelmill
