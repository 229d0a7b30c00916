// Step "recall": takes the tasks that samples answer from the datasets and files which the
// configuration key `tasks` names. Runs in the recipe "rft" after "supply"; "admit" runs the tasks
// again, so that their annotations and the comparison with benchmarks are this run's. In the recipe
// "ask" there are no samples yet, and all tasks are taken.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "corpora/records/record.h"
#include "manifests/config.h"
#include "stages/engine/step.h"
#include "stages/engine/step_context.h"

namespace kernelmill {

// The keys `tasks`, `samples` and `allow_protected`.
std::vector<ConfigKey> RecallKeys();
inline constexpr char kTasksKey[] = "tasks";
inline constexpr char kAllowProtectedKey[] = "allow_protected";

class RecallStep : public Step {
 public:
  // `excluded`: beginnings of URLs (IsExcluded()).
  explicit RecallStep(std::vector<std::string> excluded = {}) : excluded_(std::move(excluded)) {}

  std::string_view Name() const override { return "recall"; }
  int Version() const override { return 1; }
  Json Parameters() const override;
  // Input: {"record", "asked", "protected"}: a task's record, whether a sample names it, and the
  // name of the benchmark that it belongs to, or "". Kept: the record, without origins in excluded
  // sources. Dropped: tasks without samples, and tasks that come from excluded sources alone.
  Result<Outcome> Process(const Input& input, Lane& lane) override;

  // All tasks of `context.sources`, under their content_ids. Without samples every task counts as
  // one that samples name. Everything that `context` refers to
  // must outlive the result.
  static Run::Propose Inputs(const StepContext& context);
  // Joins two inputs with the same task, which two sources hold.
  static Result<std::string> Merge(std::string_view a, std::string_view b);

 private:
  const std::vector<std::string> excluded_;
};

}  // namespace kernelmill
