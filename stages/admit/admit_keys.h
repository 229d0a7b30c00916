// Declares the configuration keys "admit.…" and turns a run's configuration into the options of the
// step "admit". Called by the step's entry in the step table (admit_spec.h).
#pragma once

#include <vector>

#include "manifests/config.h"
#include "stages/admit/admit_step.h"

namespace kernelmill {

std::vector<ConfigKey> AdmitKeys();
// `mined`: the derivation of mined modules.
AdmitOptions AdmitOptionsOf(const Config& config, Derivation mined);

}  // namespace kernelmill
