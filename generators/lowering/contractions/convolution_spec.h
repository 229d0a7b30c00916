// Converts convolutions and transposed convolutions to contractions.
#pragma once

#include <optional>

#include "generators/lowering/contractions/contraction_spec.h"

namespace kernelmill {

std::optional<ContractionSpec> ConvolutionSpecOf(GroupScope* scope);

}  // namespace kernelmill
