// Many candidates at once. Verdicts are appended to a file as they come, so that a run that was
// ended goes on where it was; at the end the file holds one line an item, in the order of the
// items: {"key", "fingerprint", "verdict"}, or {"key", "rejected"}. Of the items and verdicts only
// a few words each are in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "corpora/records/verdict.h"
#include "stages/verify/judge/judge.h"
#include "stages/verify/judge/verdict_store.h"

namespace kernelmill {

struct VerifyItem {
  std::string key;  // Unique: "level_2_problem_7_sample_0".
  // Python in the KernelBench convention; one text for all items of a task.
  std::shared_ptr<const std::string> reference;
  // The candidate's Python, read when its turn comes; nothing where the answer holds none.
  std::function<Result<std::optional<std::string>>()> read_code;
  // Of its kernels, where that is not JudgeOptions::backend.
  std::optional<ExtensionBackend> backend;
  // Why it cannot be judged, where it is no answer at all; read_code gives its bytes then.
  std::string problem;
};

struct VerifyPlan {
  std::string path;    // Of the file of verdicts.
  int jobs = 1;        // Judges at once, each with two workers.
  bool fresh = false;  // Judges anew what the file or the store knows.
};

struct VerifySummary {
  std::int64_t judged = 0;
  std::int64_t reused = 0;    // Verdicts that were in the file or in the store already.
  std::int64_t rejected = 0;  // Items with a problem. The three together are all items.
  // By "status" and "status reason".
  std::map<std::string, std::int64_t> counts;

  Json ToJson() const;
  std::string Text() const;
};

// What became of an item.
struct VerdictLine {
  std::string key;
  std::string status;
  std::string reason;
};

// The verdict on one candidate, from the store or from `judge`, which is started when it is needed;
// it goes into the store. `fresh` asks the judge in any case. Trouble with a worker is a verdict
// "infra", and ends the judge.
Result<Json> VerifyOne(const JudgeOptions& options, const std::string& key,
                       const std::string& reference, const std::optional<std::string>& code,
                       const VerdictStore& store, bool fresh, std::optional<Judge>* judge);

// kInterrupted when the run is asked to stop.
Result<VerifySummary> VerifyAll(const JudgeOptions& options, const std::vector<VerifyItem>& items,
                                const VerdictStore& store, const VerifyPlan& plan,
                                std::vector<VerdictLine>* lines);

}  // namespace kernelmill
