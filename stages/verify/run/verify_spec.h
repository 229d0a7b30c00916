// Step `verify` of the recipe "rft": judges the samples that "join" put out. Its entry for the step
// table (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec VerifySpec();

// The name, in the folder of a run's state, of the file with the secret that its inputs follow from
// (stages/verify/judge/judging_secret.h).
inline constexpr char kRunSecretName[] = "secret";

}  // namespace kernelmill
