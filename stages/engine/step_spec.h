// Describes a step as data, for recipes, dry runs, `status`, the dataset card, the report and
// `config`. Each step's folder defines its StepSpec; stages/recipes/step_table.cc lists them all.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/shards/shard.h"
#include "manifests/config.h"
#include "stages/engine/run.h"
#include "stages/engine/step.h"

namespace kernelmill {

// What a run has to do, as far as it is known beforehand.
struct RunForecast {
  const Config& config;
  std::int64_t repositories = 0;  // Entries of `sources` that are repositories.
  std::int64_t task_files = 0;    // Entries of `sources` that are files of tasks.
  // Counted by a dry run; 0 elsewhere.
  std::int64_t unfetched = 0;  // Repositories that a run would fetch first.
  std::int64_t files = 0;      // Source files in the repositories that are on this machine.
  std::int64_t bytes = 0;      // Their size.
  std::int64_t task_rows = 0;  // Rows in the files of tasks.
};

// A step that is ready to run. `inputs` may refer to `step`.
struct ReadyStep {
  std::unique_ptr<Step> step;
  Run::Propose inputs;
  // Joins inputs with equal keys; null if equal keys have equal bodies.
  ShardSorter::Merge merge = nullptr;
};

// Defined in stages/engine/step_context.h.
struct StepContext;

struct StepSpec {
  std::string_view name;  // Step::Name(); "fetch", "mix" and "pack" are phases of a run, not steps.
  std::string_view takes;  // What one input is, in the plural: "source files".
  std::string_view does;   // What happens to it, as one clause: "each file is parsed".
  // Whether the outcome store keeps what it makes of an input, because that costs seconds.
  bool remembered = false;
  // The steps whose outputs it reads. Those that a recipe leaves out or that are switched off are
  // skipped.
  std::vector<std::string_view> reads = {};
  // The configuration keys that the step declares, and the validation of their values before a run
  // fetches or writes anything. The errors kConfig and kNotFound name the key. Both are null for a
  // step without keys.
  std::vector<ConfigKey> (*keys)() = nullptr;
  Status (*validate)(const Config& config) = nullptr;
  // Why the run skips the step, such as "perturb.mutants is 0"; empty if it runs. Null for a step
  // that always runs.
  std::string (*off)(const RunForecast& forecast) = nullptr;
  // The dry run's line about the step: `does` with numbers. Null if the dry run prints `does`.
  std::string (*preview)(const RunForecast& forecast) = nullptr;
  // Makes the step, once every step that it reads has finished. Null for a phase of a run,
  // which the recipe runs itself.
  Result<ReadyStep> (*make)(const StepContext& context) = nullptr;
};

// The entry called `name`, or null.
const StepSpec* FindStep(const std::vector<StepSpec>& table, std::string_view name);

}  // namespace kernelmill
