// Step `render`: writes the rows about each subject. Its entry for the step table
// (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec RenderSpec();

}  // namespace kernelmill
