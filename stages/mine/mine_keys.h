// Declares the configuration keys of mining and reads them.
#pragma once

#include <vector>

#include "manifests/config.h"
#include "stages/mine/mining_options.h"

namespace kernelmill {

std::vector<ConfigKey> MineKeys();
MiningOptions MiningOptionsOf(const Config& config);

}  // namespace kernelmill
