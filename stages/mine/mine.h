// Runs the mining steps: walk, read, index, slice; with kernels, then index_kernels and
// slice_kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/git/resolved_source.h"
#include "corpora/records/record.h"
#include "stages/engine/run.h"
#include "stages/mine/mining_options.h"

namespace kernelmill {

// Mines `sources`. Afterwards the outputs of the step "slice" are the module candidates
// (corpora/records/module_candidate.h); with `options.kernels`, those of "slice_kernels" are the
// records of native kernels.
Status Mine(Run& run, const std::vector<ResolvedSource>& sources, const MiningOptions& options);

// The steps that lead to module candidates.
inline const std::vector<std::string_view> kModuleSteps = {"walk", "read", "index", "slice"};
// One derivation for the outputs of the last of `steps`: the highest version and all parameters of
// those that have finished.
Derivation MinedBy(const Run& run, const std::vector<std::string_view>& steps);

}  // namespace kernelmill
