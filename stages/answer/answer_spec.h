// Step `answer`: writes native kernels for each task and judges them. Its entry for the step table
// (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec AnswerSpec();

}  // namespace kernelmill
