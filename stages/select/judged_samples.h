// The samples of a run with their verdicts, as the selection sees them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "corpora/records/verdict.h"
#include "stages/engine/run.h"
#include "stages/samples/run_tasks.h"
#include "stages/select/select_step.h"
#include "stages/select/selection.h"

namespace kernelmill {

struct JudgedSamples {
  struct Entry {
    std::string key;  // JoinedSample::key.
    Digest task;
    Verdict verdict;
    std::string structure;  // AnswerFingerprint::Text().
    // Why it takes no part in the selection, a name from manifests/reason.h; usually empty.
    std::string excluded;
    std::optional<double> speedup;  // Over eager PyTorch on a device, if it was measured.
  };
  RunTasks tasks;
  std::vector<Entry> entries;        // By key.
  std::vector<JudgedSample> judged;  // Parallel to `entries`.

  // Of the outputs of the finished steps "recall", "admit", "join" and "verify".
  static Result<JudgedSamples> Of(const Run& run, const SelectOptions& options);
};

}  // namespace kernelmill
