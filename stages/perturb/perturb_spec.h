// Step `perturb`: puts bugs into right answers and shows each by running it. Its entry for the step
// table (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec PerturbSpec();

}  // namespace kernelmill
