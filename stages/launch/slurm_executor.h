// The executor "slurm": each step is one or more array jobs, whose tasks are ranks.
//
// The next step is not submitted with a dependency on this one: its plan is made of the results of
// this one, so its partitions are not known before. The launcher looks which partitions have
// manifests instead. Nothing then depends on what the queue remembers (a dependency on a failed job
// is never satisfied, and its job waits for ever), and a launcher that was killed goes on from the
// files and from the jobs that are still in the queue, which it finds by their name.
//
// Of a step, only ranks with missing partitions are submitted. When no task is left in the queue
// and partitions are missing, their ranks are submitted again: after exit code 75, or if a task was
// killed. Any other exit code ends the run with the messages of that rank.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "stages/engine/step_executor.h"
#include "stages/launch/job_script.h"

namespace kernelmill {

class SlurmExecutor : public StepExecutor {
 public:
  explicit SlurmExecutor(SlurmChoice choice) : choice_(std::move(choice)) {}

  // Returns kUnreachable or kWorker, which say to try again, if Slurm does not answer or the ranks
  // go on failing without a commit; the code of a rank that has failed for good is kept as far as
  // there is one. Jobs of the step are cancelled on errors and interrupts.
  Status Complete(const PlannedStep& step, Progress* progress) override;

 private:
  SlurmChoice choice_;
};

// The script of the job that all ranks of a step make if none of its partitions is committed, for a
// dry run. Arrays above `largest_array` tasks are cut; 0 means that the limit is not known.
Result<std::vector<std::string>> PreviewScripts(const std::string& output, const std::string& step,
                                                std::int64_t partitions, const SlurmChoice& choice,
                                                std::int64_t largest_array);

}  // namespace kernelmill
