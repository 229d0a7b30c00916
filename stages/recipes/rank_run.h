// What the ranks of a run need from the command that leads it, and the run of one rank, for the
// command `step`. The leader leaves a record in DIR/.run: the recipe, its configuration and its
// repositories at their commits. A rank takes no other configuration, so whoever starts it only
// names the folder, the step and the rank. Ranks of `verify` are those of
// stages/verify/run/verify_rank.h.
#pragma once

#include <string>
#include <string_view>

#include "manifests/config.h"
#include "stages/engine/partition_work.h"
#include "stages/engine/run.h"
#include "stages/engine/step_context.h"

namespace kernelmill {

// Leaves the record. `recipe` is "sft" or "rft"; HoldSources() must have been called.
Status RecordForRanks(const Run& run, std::string_view recipe, const Config& config,
                      const ResolvedSources& sources);

struct RankOptions {
  std::string output;  // The folder of the run.
  std::string step;
  Share share;
  int jobs = 1;
};

// Does the partitions of the step that belong to the rank, and returns when all of them are
// committed. Ok if the run has been published already. kNotFound if there is no run that ranks may
// join; kPlanChanged if the program, the plan or a file of the run's sources changed; otherwise as
// RunShare().
Status RunRank(const RankOptions& options);

}  // namespace kernelmill
