// Defines the entry of "supply" in the step table (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec SupplySpec();

}  // namespace kernelmill
