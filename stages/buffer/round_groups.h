// The judged samples of a run in groups, as the retry buffer sees them
// (stages/retry/retry_group.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "stages/engine/run.h"
#include "stages/retry/retry_group.h"
#include "stages/samples/run_tasks.h"
#include "stages/samples/sample_measurements.h"

namespace kernelmill {

struct RoundGroups {
  // By task and backend; answers to a repair prompt are a group of their own, behind the other.
  // Samples have their code only where it may be shown.
  std::vector<RetryGroup> groups;
  // Failed tasks that must not come into the buffer, with "protected" or "not_admitted".
  std::map<RetryKey, std::string> left_out;
  // The encoded records of each failed sample that may be shown, and of those that it was to
  // repair, oldest first.
  std::map<Digest, std::vector<std::string>> shown;
  std::int64_t prompts = 0;  // That samples answer: all groups, those left out too.

  // Of the outputs of the finished steps "join" and "verify". With `allow_protected`, problems of
  // benchmarks are as other tasks. A correct sample that fails on a device says nothing: it solves
  // no task, and no message tells how to repair it.
  static Result<RoundGroups> Of(const Run& run, const RunTasks& tasks, const RetryOptions& options,
                                bool allow_protected, const SampleMeasurements& measurements);
};

}  // namespace kernelmill
