// Step `generate`: draws graphs of operators and writes them as modules. Its entry for the step
// table (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec GenerateSpec();

}  // namespace kernelmill
