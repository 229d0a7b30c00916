// Defines the entry of "dedup" in the step table (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec DedupSpec();

}  // namespace kernelmill
