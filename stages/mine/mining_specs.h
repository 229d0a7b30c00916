// The steps that mine repositories, in the order in which they run: `walk` lists files, `read`
// parses them, `index` and `slice` find modules and cut them out, `index_kernels` and
// `slice_kernels` do so for native kernels. Their entries for the step table
// (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec WalkSpec();
StepSpec ReadSpec();
StepSpec IndexSpec();
StepSpec SliceSpec();
StepSpec IndexKernelsSpec();
StepSpec SliceKernelsSpec();

}  // namespace kernelmill
