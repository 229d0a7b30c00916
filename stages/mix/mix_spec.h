// Defines the entry of "mix" in the step table (stages/recipes/step_table.cc). Mix is a part of a
// run, but the engine does not run it: the recipe gives each row its weight (mixture.h) when it
// publishes the dataset.
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec MixSpec();

}  // namespace kernelmill
