// Defines the entries of the mining steps in the step table (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec WalkSpec();
StepSpec ReadSpec();
StepSpec IndexSpec();
StepSpec SliceSpec();
StepSpec KernelIndexSpec();
StepSpec KernelSliceSpec();

}  // namespace kernelmill
