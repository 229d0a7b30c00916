// The steps that mine repositories, in the order in which they run: `walk` lists files, `read`
// parses them, `index` and `slice` find modules and cut them out, `index_kernels` and
// `slice_kernels` do so for native kernels, `index_ports` and `slice_ports` for those that a
// repository holds for two platforms. Their entries for the step table
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
StepSpec IndexPortsSpec();
StepSpec SlicePortsSpec();

}  // namespace kernelmill
