// Declares the options of `sft`, `rft` and `verify` that say where the partitions of steps are
// done, and makes the executor.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "manifests/config.h"
#include "stages/engine/step_executor.h"
#include "stages/engine/step_spec.h"

namespace kernelmill {

struct ExecutorArguments {
  std::string executor = "local";
  std::int64_t ranks = 0;  // 0: one for each partition.
  std::vector<std::string> sbatch;
  std::string queue;  // Empty: the executor does the step "verify" too.

  void AddTo(CLI::App& app);
  // --queue, for a recipe with the step "verify".
  void AddQueueTo(CLI::App& app);
  // Null for "local" without a queue. `jobs` is that of the command; a rank has one thread by
  // default. kUsage for options that do not fit together. `steps` are those of the recipe.
  Result<std::unique_ptr<StepExecutor>> Make(int jobs, const std::vector<StepSpec>& steps) const;
  // Whether an option but --queue says more than the defaults.
  bool IsGiven() const { return executor != "local" || ranks > 0 || !sbatch.empty(); }
  // Whether the executor has job scripts, and these scripts, for a run in `output`.
  bool HasScripts() const { return executor == "slurm"; }
  Result<std::vector<std::string>> Scripts(const std::string& output, int jobs,
                                           const Config& config,
                                           const std::vector<std::string>& steps) const;

 private:
  // Without the queue.
  Result<std::unique_ptr<StepExecutor>> MakeExecutor(int jobs,
                                                     const std::vector<StepSpec>& steps) const;
};

}  // namespace kernelmill
