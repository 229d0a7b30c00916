// A run of `verify` or `rft` whose answers are in the queue, as who leads it and the workers read
// it: the frozen plan of its step "verify".
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/shards/shard.h"
#include "manifests/plan.h"
#include "stages/queue/answer_key.h"
#include "stages/verify/run/verify_step.h"

namespace kernelmill {

class QueuedRun {
 public:
  static constexpr std::string_view kStep = "verify";

  // kNotFound if the folder has no plan (any more); kBusy while it is made again.
  static Result<QueuedRun> Open(const std::string& output);

  const Plan& plan() const { return plan_; }
  VerifyStep& step() const { return *step_; }  // It only takes verdicts from the store.
  // The candidates of the plan's input at this position; none for a malformed item. kNotFound if
  // the plan has no such input.
  Result<std::vector<AskedCandidate>> CandidatesOf(std::int64_t input) const;
  // The candidate that the key names. kCorrupt if there is none.
  Result<AskedCandidate> Find(const AnswerKey& key) const;

 private:
  QueuedRun(Plan plan, std::unique_ptr<VerifyStep> step, ShardReader inputs)
      : plan_(std::move(plan)), step_(std::move(step)), inputs_(std::move(inputs)) {}

  Plan plan_;
  std::unique_ptr<VerifyStep> step_;
  ShardReader inputs_;
};

}  // namespace kernelmill
