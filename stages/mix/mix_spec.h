// Phase `mix`: weights the rows, so that every family has its share of the trained tokens. Its
// entry for the step table (stages/recipes/step_table.cc). The engine does not run it: the recipe
// gives each row its weight (mixture.h) when it publishes the dataset.
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec MixSpec();

}  // namespace kernelmill
