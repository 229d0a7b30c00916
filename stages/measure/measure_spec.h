// Step `measure`: counts tokens, and rejects rows over the budget. Its entry for the step table
// (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec MeasureSpec();

}  // namespace kernelmill
