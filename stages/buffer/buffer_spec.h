// Step `buffer`: keeps tasks that no sample solved for retries. Its entry for the step table
// (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec BufferSpec();

}  // namespace kernelmill
