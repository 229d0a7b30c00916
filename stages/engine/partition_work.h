// Does partitions of a step that has a plan. Run (run.h) calls it for all partitions of a run on
// one machine, and for those of one rank. Several processes may work on the same step at once.
#pragma once

#include <string>
#include <vector>

#include "manifests/plan.h"
#include "stages/engine/progress.h"
#include "stages/engine/step.h"

namespace kernelmill {

// The partitions of one of several processes that work on a step: of `world` processes, number
// `rank` has every partition whose remainder is `rank`. The world only divides the work, so it
// may differ between processes and does not change the results.
struct Share {
  std::int64_t rank = 0;
  std::int64_t world = 1;

  bool Has(std::int64_t partition) const { return partition % world == rank; }
};

// The partitions of the share that are not committed, in order.
std::vector<std::int64_t> MissingPartitions(const std::string& step_folder, const Plan& plan,
                                            const Share& share = {});

// Processes and commits `partitions` with `jobs` threads. A partition for which another process has
// the lease (partition_lease.h) comes last, when that process has ended or committed it; when this
// returns Ok, all of them are committed. kInterrupted when the program is asked to stop.
Status WorkOnPartitions(Step& step, const Plan& plan, const std::string& step_folder,
                        std::vector<std::int64_t> partitions, int jobs, Progress* progress);

}  // namespace kernelmill
