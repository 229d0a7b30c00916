// Finds the level of a task and the families of its operators by the task's name, for the groups of
// the scores.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "corpora/records/record.h"
#include "manifests/status.h"
#include "stages/scores/scores.h"

namespace kernelmill {

// A task by the name that its samples give.
struct FoundTask {
  std::string name;  // The same for all ways to name the task.
  TaskTraits traits;
};
// kNotFound when there is no such task.
using TaskLookup = std::function<Result<FoundTask>(const std::string& name)>;

// Tasks of a dataset, by content_id or a unique prefix of it (kShortestTaskPrefix). The level is
// the one that a drawn task was drawn at; the operators are those of its annotation.
Result<TaskLookup> TasksOfDataset(const std::string& folder);

// Problems of a checkout of KernelBench, by "level_2_problem_7". The operators are found by running
// the problem without data in the torch worker, once for each problem that is asked for. A problem
// that cannot be run has no families.
Result<TaskLookup> TasksOfKernelBench(const std::string& checkout);

// Tasks that the caller knows, by content_id in hexadecimal digits or a unique prefix of it.
// `where` names them in messages.
TaskLookup TasksKnown(std::map<std::string, TaskTraits> tasks, std::string where);

// What the records of a task say of it. `annotation` may be null.
Result<TaskTraits> TraitsOf(const Record& task, const Record* annotation);

// Without tasks: only KernelBench's names tell the level.
TaskLookup TasksByName();

}  // namespace kernelmill
