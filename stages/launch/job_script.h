// Writes the script of a Slurm array job whose tasks are ranks of one step.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

// What a user decides about the jobs of a run.
struct SlurmChoice {
  std::int64_t world = 0;  // Ranks of each step; 0: one for each partition.
  int jobs = 1;            // Threads, and so processors, of each rank.
  // Further options of sbatch, such as "--partition=cpu", for all steps or with the name of one
  // before them: "verify:--gres=gpu:1".
  std::vector<std::string> options;

  // The options of one step.
  std::vector<std::string> OptionsOf(std::string_view step) const;
  // kUsage if an option is neither of both forms, names a step that is not in `steps`, or is one
  // that the script sets itself.
  Status Check(const std::vector<std::string>& steps) const;
};

struct RankJob {
  std::string name;     // Of the job.
  std::string program;  // The path of kernelmill.
  std::string output;   // The folder of the run, as an absolute path.
  std::string step;
  std::string folder;  // For logs and exit codes: see below.
  std::int64_t world = 1;
  std::vector<std::int64_t> ranks;  // In order. All lie in [offset, offset + MaxArraySize).
  std::int64_t offset = 0;          // The first task of the array is this rank.
};

// Where a task leaves its messages, and its exit code as a number. A task that is killed leaves no
// exit code.
std::string LogPathOf(const RankJob& job, const std::string& array_job, std::int64_t rank);
std::string ExitPathOf(const std::string& folder, std::int64_t rank);

// The path of the run, which has to stand in a script. kUsage if it holds what Slurm replaces
// there.
Status CheckScriptPath(const std::string& path);

std::string ScriptOf(const RankJob& job, const SlurmChoice& choice);

}  // namespace kernelmill
