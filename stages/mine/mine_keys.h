// The configuration keys of mining.
#pragma once

#include <vector>

#include "manifests/config.h"
#include "stages/mine/mining_options.h"

namespace kernelmill {

std::vector<ConfigKey> MineKeys();
MiningOptions MiningOptionsOf(const Config& config);

}  // namespace kernelmill
