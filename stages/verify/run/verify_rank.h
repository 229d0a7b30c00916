// The run of a rank of `verify`, for the command `step`. The frozen plan has the candidates and how
// they are judged; the folder has the secret. So whoever starts a rank only names the folder and
// the rank.
#pragma once

#include <memory>
#include <string>

#include "manifests/digest.h"
#include "manifests/status.h"
#include "stages/engine/partition_work.h"
#include "stages/engine/run.h"
#include "stages/verify/run/verify_step.h"

namespace kernelmill {

// Leaves a note for ranks. `fresh`: VerifyRunOptions::fresh.
Status AdmitVerifyRanks(const Run& run, bool fresh);
// Removes the note, when no rank is needed or the work is done.
Status DismissVerifyRanks(const Run& run);
// Whether the folder holds an unfinished run of `verify` that ranks may join.
bool AdmitsVerifyRanks(const std::string& output);

// The step of a frozen plan, with the secret that the folder has.
Result<std::unique_ptr<VerifyStep>> PlannedVerifyStep(const std::string& output, const Plan& plan,
                                                      StoreUse store_use);

// Does the partitions that belong to the rank, and returns when all of them are committed. Errors
// as those of RunRank() (stages/recipes/rank_run.h). `tool` is ToolIdentity::digest.
Status RunVerifyRank(const std::string& output, const Share& share, int jobs, const Digest& tool);

}  // namespace kernelmill
