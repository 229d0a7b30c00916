// Step `sample`: merges equal modules and applies the limits. Its entry for the step table
// (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec SampleSpec();

}  // namespace kernelmill
