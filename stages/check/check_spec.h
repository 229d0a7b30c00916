// Step `check`: writes tests that accept right answers and reject wrong ones. Its entry for the
// step table (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec CheckSpec();

}  // namespace kernelmill
