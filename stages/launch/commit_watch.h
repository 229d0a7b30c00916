// Watches the folder of a step for the manifests of partitions that other processes commit. The
// executors wait with it; files are all that they go by.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "manifests/partition_manifest.h"
#include "stages/engine/progress.h"
#include "stages/engine/step_executor.h"

namespace kernelmill {

class CommitWatch {
 public:
  // `progress` may be null, and must outlive this.
  CommitWatch(const PlannedStep& step, Progress* progress);

  // Reads the folder, shows progress, and returns the partitions without a manifest, in order.
  Result<std::vector<std::int64_t>> Missing();

 private:
  const PlannedStep step_;
  Progress* const progress_;
  std::set<std::int64_t> before_;  // Committed when this was made.
  std::set<std::int64_t> seen_;    // Committed since then.
  StepCounts counts_;              // Of these.
};

}  // namespace kernelmill
