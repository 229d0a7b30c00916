// Defines the entry of "perturb" in the step table (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec PerturbSpec();

}  // namespace kernelmill
