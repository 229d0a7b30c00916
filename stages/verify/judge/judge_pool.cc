#include "stages/verify/judge/judge_pool.h"

#include <algorithm>
#include <utility>

namespace kernelmill {
namespace {

Verdict InfraVerdict(const JudgeOptions& options, const Status& status) {
  Verdict verdict;
  verdict.status = VerdictStatus::kInfra;
  verdict.reason = "worker";
  verdict.detail = status.message();
  verdict.policy = options.policy->name;
  verdict.backend = options.backend->name;
  verdict.verified_on = "cpu_executor";
  return verdict;
}

}  // namespace

Result<JudgePool::Judged> JudgePool::JudgeCandidate(const JudgingChoice& choice,
                                                    const std::string& reference,
                                                    const std::optional<std::string>& code) {
  KM_RETURN_IF_ERROR(OpenStore());
  KM_ASSIGN(Bench * bench, BenchOf(choice));
  Judged judged;
  judged.key = VerdictKey(reference, code, bench->options, *tool_);
  if (store_use_ == StoreUse::kUse) {
    if (const std::optional<Json> known = store_->Find(judged.key)) {
      KM_ASSIGN(judged.verdict, Verdict::FromJson(*known));
      judged.from_store = true;
      return judged;
    }
  }
  if (store_) KM_RETURN_IF_ERROR(store_->Begin(judged.key));
  KM_ASSIGN(judged.verdict, AskJudge(bench, reference, code));
  if (store_) KM_RETURN_IF_ERROR(store_->Keep(judged.key, judged.verdict.ToJson()));
  return judged;
}

Result<Verdict> JudgePool::JudgeOrFail(const JudgingChoice& choice, const std::string& reference,
                                       const std::optional<std::string>& code) {
  KM_ASSIGN(Judged judged, JudgeCandidate(choice, reference, code));
  if (judged.verdict.status == VerdictStatus::kInfra) {
    return Status(ErrorCode::kWorker, "a candidate could not be judged: " + judged.verdict.detail);
  }
  return std::move(judged.verdict);
}

Result<JudgePool::Bench*> JudgePool::BenchOf(const JudgingChoice& choice) {
  const auto found = std::find_if(benches_.begin(), benches_.end(),
                                  [&](const Bench& bench) { return bench.choice == choice; });
  if (found != benches_.end()) return &*found;
  KM_ASSIGN(JudgeOptions options, PrepareJudging(choice));
  options.workers = workers_;
  benches_.push_back({choice, std::move(options), std::nullopt});
  return &benches_.back();
}

Status JudgePool::OpenStore() {
  if (!tool_) {
    KM_ASSIGN(tool_, ReadToolIdentity());
  }
  if (store_ || store_use_ == StoreUse::kIgnore) return Status::Ok();
  KM_ASSIGN(store_, VerdictStore::Open(VerdictStore::DefaultFolder()));
  return Status::Ok();
}

Result<Verdict> JudgePool::AskJudge(Bench* bench, const std::string& reference,
                                    const std::optional<std::string>& code) {
  if (!bench->judge) {
    KM_ASSIGN(bench->judge, Judge::Start(bench->options));
  }
  Result<Verdict> verdict = bench->judge->Verify(reference, code);
  if (verdict.ok() || verdict.status().code() != ErrorCode::kWorker) return verdict;
  // The candidate has broken the worker twice. The next candidate gets a new judge.
  bench->judge.reset();
  return InfraVerdict(bench->options, verdict.status());
}

}  // namespace kernelmill
