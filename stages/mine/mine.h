// The mining steps in their order: walk, read, index, slice; for kernels index_kernels and
// slice_kernels behind them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/record.h"
#include "stages/engine/run.h"
#include "stages/mine/mining_options.h"

namespace kernelmill {

// After it, the outputs of step "slice" are the module candidates (corpora/records/module_candidate.h) and,
// with `options.kernels`, those of "slice_kernels" the records of native kernels.
Status Mine(Run& run, const std::vector<ResolvedSource>& sources, const MiningOptions& options);

// The steps that end in module candidates.
inline const std::vector<std::string_view> kModuleSteps = {"walk", "read", "index", "slice"};
// How the outputs of the last of these finished steps were made: one derivation for all of them.
Derivation MinedBy(const Run& run, const std::vector<std::string_view>& steps);

}  // namespace kernelmill
