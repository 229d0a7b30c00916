// Step `supply`: reads the rows of the users' files of tasks. Its entry for the step table
// (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec SupplySpec();

}  // namespace kernelmill
