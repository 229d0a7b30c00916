// Phase `fetch`: fetches one commit of each repository that is not on this machine. Its entry for
// the step table (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec FetchSpec();

}  // namespace kernelmill
