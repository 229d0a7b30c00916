// Step `recall`: takes the tasks that samples answer. Its entry for the step table
// (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec RecallSpec();

}  // namespace kernelmill
