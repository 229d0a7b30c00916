// Convolutions and transposed ones as contractions.
#pragma once

#include <optional>

#include "generators/lowering/contractions/contraction_spec.h"

namespace kernelmill {

std::optional<ContractionSpec> ConvolutionSpecOf(GroupScope* scope);

}  // namespace kernelmill
