// The commands of Slurm that a launcher needs: sbatch, squeue, scancel and scontrol. They are run
// as a user runs them; nothing of Slurm is linked.
#pragma once

#include <cstdint>
#include <string>

#include "manifests/status.h"

namespace kernelmill {

// kEnvironment if this machine does not have the commands; kUnreachable if one of them fails, with
// what it said.

// MaxArraySize of the cluster: the tasks of an array are numbered below it.
Result<std::int64_t> MaxArraySize();
// Returns the number of the array job.
Result<std::string> SubmitJob(const std::string& script);
// How many tasks of the user's jobs of this name wait or run.
Result<std::int64_t> CountTasks(const std::string& job_name);
Status CancelJobs(const std::string& job_name);

}  // namespace kernelmill
