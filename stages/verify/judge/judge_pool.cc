#include "stages/verify/judge/judge_pool.h"

#include <algorithm>
#include <utility>

#include "stages/engine/step_context.h"

namespace kernelmill {
namespace {

Verdict InfraVerdict(const JudgeOptions& options, const Status& status) {
  Verdict verdict;
  verdict.status = VerdictStatus::kInfra;
  verdict.reason = "worker";
  verdict.detail = status.message();
  verdict.policy = options.policy->name;
  verdict.backend = options.backend->name;
  verdict.contract = options.contract;
  verdict.verified_on = "cpu_executor";
  return verdict;
}

}  // namespace

StoreUse StoreUseOf(const StepContext& context) {
  return context.wanted ? StoreUse::kIgnore : StoreUse::kUse;
}

Result<JudgePool::Judged> JudgePool::JudgeCandidate(const JudgingChoice& choice,
                                                    const std::string& reference,
                                                    const std::optional<std::string>& code) {
  KM_RETURN_IF_ERROR(OpenStore());
  KM_ASSIGN(PreparedJudge * prepared, PreparedFor(choice));
  Judged judged;
  judged.key = VerdictKey(reference, code, prepared->options, *tool_);
  if (store_use_ == StoreUse::kUse || store_use_ == StoreUse::kTake) {
    KM_ASSIGN(const std::optional<Json> known, store_->Find(judged.key));
    if (known) {
      KM_ASSIGN(judged.verdict, Verdict::FromJson(*known));
      judged.from_store = true;
      return judged;
    }
  }
  if (store_use_ == StoreUse::kTake) {
    judged.verdict = InfraVerdict(
        prepared->options, Status(ErrorCode::kWorker, "no worker of the queue could judge it"));
    judged.from_store = true;
    return judged;
  }
  if (store_) KM_RETURN_IF_ERROR(store_->Begin(judged.key));
  KM_ASSIGN(judged.verdict, AskJudge(prepared, reference, code));
  if (store_) KM_RETURN_IF_ERROR(store_->Keep(judged.key, judged.verdict.ToJson()));
  return judged;
}

Result<std::string> JudgePool::KeyOf(const JudgingChoice& choice, const std::string& reference,
                                     const std::optional<std::string>& code) {
  KM_RETURN_IF_ERROR(OpenStore());
  KM_ASSIGN(const PreparedJudge* const prepared, PreparedFor(choice));
  return VerdictKey(reference, code, prepared->options, *tool_);
}

Result<std::string> JudgePool::BuildCandidate(const JudgingChoice& choice,
                                              const std::string& reference,
                                              const std::optional<std::string>& code) {
  KM_ASSIGN(const std::string key, KeyOf(choice, reference, code));
  if (store_) {
    KM_ASSIGN(const std::optional<Json> known, store_->Find(key));
    if (known) return std::string();
  }
  KM_ASSIGN(PreparedJudge* const prepared, PreparedFor(choice));
  KM_RETURN_IF_ERROR(StartJudge(prepared));
  const Status built = prepared->judge->Build(reference, code);
  if (built.ok()) return std::string();
  if (built.code() != ErrorCode::kWorker) return built;
  prepared->judge.reset();
  return built.message();
}

Result<Verdict> JudgePool::JudgeOrFail(const JudgingChoice& choice, const std::string& reference,
                                       const std::optional<std::string>& code) {
  KM_ASSIGN(Judged judged, JudgeCandidate(choice, reference, code));
  if (judged.verdict.status == VerdictStatus::kInfra) {
    return Status(ErrorCode::kWorker, "a candidate could not be judged: " + judged.verdict.detail);
  }
  return std::move(judged.verdict);
}

Result<JudgePool::PreparedJudge*> JudgePool::PreparedFor(const JudgingChoice& choice) {
  const auto found =
      std::find_if(prepared_.begin(), prepared_.end(),
                   [&](const PreparedJudge& prepared) { return prepared.choice == choice; });
  if (found != prepared_.end()) return &*found;
  KM_ASSIGN(JudgeOptions options, PrepareJudging(choice));
  options.workers = workers_;
  prepared_.push_back({choice, std::move(options), std::nullopt});
  return &prepared_.back();
}

Status JudgePool::OpenStore() {
  if (!tool_) {
    KM_ASSIGN(tool_, ReadToolIdentity());
  }
  if (store_ || store_use_ == StoreUse::kIgnore) return Status::Ok();
  KM_ASSIGN(store_, VerdictStore::Open(VerdictStore::DefaultFolder()));
  return Status::Ok();
}

Status JudgePool::StartJudge(PreparedJudge* prepared) {
  if (!prepared->judge) {
    KM_ASSIGN(prepared->judge, Judge::Start(prepared->options));
  }
  return Status::Ok();
}

Result<Verdict> JudgePool::AskJudge(PreparedJudge* prepared, const std::string& reference,
                                    const std::optional<std::string>& code) {
  KM_RETURN_IF_ERROR(StartJudge(prepared));
  Result<Verdict> verdict = prepared->judge->Verify(reference, code);
  if (verdict.ok() || verdict.status().code() != ErrorCode::kWorker) return verdict;
  // Workers or compilers have ended several times, and fresh ones too.
  prepared->judge.reset();
  return InfraVerdict(prepared->options, verdict.status());
}

}  // namespace kernelmill
