// Step `admit`: builds and runs each module in a sandbox; those that pass become tasks. Its entry
// for the step table (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec AdmitSpec();

}  // namespace kernelmill
