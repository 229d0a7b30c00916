// Reads verdicts.jsonl, which `verify` writes for many answers (stages/verify/run/verify_run.h),
// and which lies in RFT datasets, as samples to be scored. Their times are those of
// measurements.jsonl beside it (stages/device/measurement_file.h); a sample that fails on the
// device is not correct.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpora/records/verdict.h"
#include "manifests/status.h"
#include "stages/scores/scores.h"
#include "stages/scores/task_lookup.h"

namespace kernelmill {

struct VerdictSamples {
  std::vector<ScoredSample> samples;
  std::int64_t malformed = 0;  // Lines of the list of answers that no verdict is about.
  // Lines about turns of an attempt that another turn of it stands for.
  std::int64_t other_turns = 0;
  // Lines with "retry", and those of attempts without turn 1: answers to repair prompts and to
  // conversations that another answer began. They do not count, because the model was shown the
  // verdict on that answer first.
  std::int64_t retries = 0;
};

// The samples of the file at `path`. Their tasks are named by the line's "task", or by a key in
// KernelBench's form; answers on two backends count as answers to two tasks. The turns of one
// "attempt" are one sample: its first correct turn, or else its last turn. kCorrupt, with the line,
// when the file is damaged or a task has no name.
Result<VerdictSamples> ReadVerdictSamples(const std::string& path, const TaskLookup& lookup);

// A sample of a task with a verdict of this status.
ScoredSample SampleWithStatus(std::string task, TaskTraits traits, VerdictStatus status);

}  // namespace kernelmill
