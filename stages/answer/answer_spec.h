// Defines the entry of "answer" in the step table (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec AnswerSpec();

}  // namespace kernelmill
