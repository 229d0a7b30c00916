// Declares the configuration keys of admission and reads them.
#pragma once

#include <vector>

#include "manifests/config.h"
#include "stages/admit/admit_step.h"

namespace kernelmill {

std::vector<ConfigKey> AdmitKeys();
// `mined`: the derivation of the candidates.
AdmitOptions AdmitOptionsOf(const Config& config, Derivation mined);

}  // namespace kernelmill
