// Step `join`: finds the task of each sample. Its entry for the step table
// (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec JoinSpec();

}  // namespace kernelmill
