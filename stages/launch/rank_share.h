// Which rank of how many a process is, for the command `step`: from its options, or from what Slurm
// and Kubernetes tell the tasks of an array job and the pods of an indexed job.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "manifests/status.h"
#include "stages/engine/partition_work.h"

namespace kernelmill {

// kUsage if the rank is not one of 0 to world - 1.
Status CheckShare(const Share& share);

struct RankWords {
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> world;
  std::int64_t offset = 0;  // Added to a rank of the environment.
};

// The value of an environment variable; null if it is not set.
using EnvironmentOf = std::function<const char*(const char* name)>;

// The rank is, in this order, the one of the options, SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX.
// Without a world in the options, it is SLURM_ARRAY_TASK_COUNT, for an array that begins with 0 and
// leaves none out. kUsage if one of them is missing or not a number, or the rank is outside.
Result<Share> ShareOf(const RankWords& words, const EnvironmentOf& environment);

}  // namespace kernelmill
