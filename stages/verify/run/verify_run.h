// Verdicts on many candidates: a run of one step (verify_step.h) over an output folder, whose
// results become OUTPUT/verdicts.jsonl. There is one line for each item, in the order of the items:
// {"key", "fingerprint", "verdict"}, or {"key", "rejected": {"problem", "text" or "hex"}} for a
// line of a list that is no candidate. The fingerprint is the verdict's key in the store.
//
// A run that was ended goes on where it was; its state is OUTPUT/.run. A run that is complete is
// not judged again unless verdicts.jsonl was removed, the candidates or options changed, or a
// verdict is "infra". It begins anew then, and takes what it can from the verdict store.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/verify/judge/cpu_judge.h"
#include "stages/verify/run/verify_item.h"

namespace kernelmill {

struct VerifyRunOptions {
  std::string output;      // A folder, which may hold other files.
  CpuJudgeChoice judging;  // Its backend is for items that name none.
  std::string list;        // The file that lists the candidates; empty where there is none.
  int jobs = 1;            // Candidates at once; each takes two workers and 1.5 GB.
  bool fresh = false;      // Judge every candidate anew, and replace what the store holds.
};

struct VerifySummary {
  std::int64_t judged = 0;
  std::int64_t reused = 0;    // Verdicts of a run that was ended before, or of the store.
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
// when the folder has the verdicts of another list than `options.list`, unless that list is how
// this one begins or `fresh` gives them up.
Result<VerifySummary> VerifyCandidates(const std::vector<VerifyItem>& items,
                                       const VerifyRunOptions& options,
                                       std::vector<VerdictLine>* lines);

}  // namespace kernelmill
