#include "stages/queue/queued_run.h"

#include <utility>

#include "stages/engine/partition_writer.h"
#include "stages/engine/run.h"
#include "stages/verify/run/verify_rank.h"

namespace kernelmill {

Result<QueuedRun> QueuedRun::Open(const std::string& output) {
  // Only while the plan is read: a run that is started again must not wait for workers.
  KM_ASSIGN(const Run run, Run::Join({.output = output, .shared = true, .jobs = 1}));
  KM_ASSIGN(Plan plan, run.PlanOf(kStep));
  KM_ASSIGN(std::unique_ptr<VerifyStep> step, PlannedVerifyStep(output, plan, StoreUse::kTake));
  KM_ASSIGN(ShardReader inputs, ShardReader::Open(run.StatePath("steps/" + std::string(kStep) +
                                                                "/" + plan.inputs_file)));
  return QueuedRun(std::move(plan), std::move(step), std::move(inputs));
}

Result<std::vector<AskedCandidate>> QueuedRun::CandidatesOf(std::int64_t input) const {
  KM_ASSIGN(const std::optional<std::string> value,
            inputs_.Get(IndexKey(static_cast<std::uint64_t>(input))));
  if (!value) {
    return Status(ErrorCode::kNotFound,
                  inputs_.path() + ": holds no input " + std::to_string(input));
  }
  KM_ASSIGN(const auto pair, SplitKeyAndBody(*value));
  return step_->CandidatesOf({std::string(pair.first), std::string(pair.second)});
}

Result<AskedCandidate> QueuedRun::Find(const AnswerKey& key) const {
  KM_ASSIGN(std::vector<AskedCandidate> candidates, CandidatesOf(key.input));
  for (AskedCandidate& candidate : candidates) {
    if (candidate.place == key.place) return std::move(candidate);
  }
  return Status(ErrorCode::kCorrupt, key.run + ": the input " + std::to_string(key.input) +
                                         " of the plan has no answer " + key.place);
}

}  // namespace kernelmill
