// Step `select`: decides which judged samples are trained. Its entry for the step table
// (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec SelectSpec();

}  // namespace kernelmill
