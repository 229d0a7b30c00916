// Describes several finished steps as one entry of a record's lineage: `admit` and `slice_kernels`
// write the mining steps before them as the one entry "mine".
#pragma once

#include <string>
#include <vector>

#include "corpora/records/record.h"
#include "stages/engine/run.h"

namespace kernelmill {

// The derivation called `name`, for those of `steps` that `run` has finished. Its version is the
// highest of theirs, and its digest covers all their parameters. It names no inputs.
Derivation JointDerivation(const Run& run, std::string name, const std::vector<std::string>& steps);

}  // namespace kernelmill
