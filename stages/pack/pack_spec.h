// Phase `pack`: writes shards, exports, card, report and manifest. Its entry for the step table
// (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec PackSpec();

}  // namespace kernelmill
