// Judges many candidates, for the command `verify`: runs the step "verify" (verify_step.h) over an
// output folder and writes OUTPUT/verdicts.jsonl. There is one line for each item, in the order of
// the items: {"key", "id", "task", "attempt", "turn", "fingerprint", "reward", "verdict"}, or
// "rejected": {"reason", "problem", "text" or "hex"} in place of the last three for a malformed
// line of a list. The fingerprint is the verdict's key in the store.
//
// An interrupted run resumes; its state is OUTPUT/.run. A complete run is not judged again unless
// verdicts.jsonl was removed, the candidates or options changed, or a verdict is "infra". It then
// starts again, and reuses verdicts of the verdict store.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/engine/step_executor.h"
#include "stages/verify/judge/cpu_judge.h"
#include "stages/verify/run/verify_item.h"

namespace kernelmill {

struct VerifyRunOptions {
  std::string output;  // A folder, which may hold other files.
  // As VerifyStep has it. If there is a secret, the folder keeps it, and a later run in the folder
  // uses the one that it finds there.
  JudgingChoice judging;
  std::string list;    // The file that lists the candidates; empty if there is none.
  int jobs = 1;        // Candidates judged in parallel; each needs two workers and 1.5 GB.
  StepExecutor* executor = nullptr;  // As RunOptions has it.
  bool fresh = false;  // Judge every candidate again and replace its stored verdict.
};

struct VerifySummary {
  std::int64_t judged = 0;
  // Verdicts of an interrupted run or of the store. With an executor, it is not known which
  // verdicts its ranks took from a store: those count as judged.
  std::int64_t reused = 0;
  std::int64_t rejected = 0;  // Items with a problem. The three add up to the number of items.
  // By "status" and "status reason".
  std::map<std::string, std::int64_t> counts;

  Json ToJson() const;
  std::string Text() const;
};

// The status of an item's verdict, or "rejected".
struct VerdictLine {
  std::string key;
  std::string status;
  std::string reason;
};

// Judges the items and writes verdicts.jsonl; `lines` gets one entry for each item. Errors: kBusy
// while another process works in the folder, kInterrupted when the program is asked to stop, kUsage
// when the folder has the verdicts of another list than `options.list`, unless this list begins
// with that one or `fresh` allows to discard them.
Result<VerifySummary> VerifyCandidates(const std::vector<VerifyItem>& items,
                                       const VerifyRunOptions& options,
                                       std::vector<VerdictLine>* lines);

}  // namespace kernelmill
