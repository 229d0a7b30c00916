// The mining steps in their order: walk, read, index, slice.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stages/engine/run.h"
#include "stages/mine/mining_options.h"

namespace kernelmill {

// After it, the outputs of step "slice" are the module candidates (corpora/module_candidate.h).
Status MineModules(Run& run, const std::vector<ResolvedSource>& sources,
                   const MiningOptions& options);

}  // namespace kernelmill
