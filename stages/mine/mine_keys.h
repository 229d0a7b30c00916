// Declares the configuration keys "mine.…" and "exclude_sources" and reads them into MiningOptions,
// for the entries of the mining steps in the step table (mining_specs.h) and the dry run.
#pragma once

#include <vector>

#include "manifests/config.h"
#include "stages/mine/mining_options.h"

namespace kernelmill {

std::vector<ConfigKey> MineKeys();
MiningOptions MiningOptionsOf(const Config& config);

}  // namespace kernelmill
