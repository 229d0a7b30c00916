#include "stages/serve/known_verdicts.h"

namespace kernelmill {

Result<std::unique_ptr<KnownVerdicts>> KnownVerdicts::Open() {
  KM_ASSIGN(VerdictStore store, VerdictStore::Open(VerdictStore::DefaultFolder()));
  KM_ASSIGN(ToolIdentity tool, ReadToolIdentity());
  return std::unique_ptr<KnownVerdicts>(new KnownVerdicts(std::move(store), std::move(tool)));
}

const JudgeOptions* KnownVerdicts::Learned(const JudgingChoice& choice) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [known, options] : learned_) {
    if (known == choice) return &options;
  }
  return nullptr;
}

Status KnownVerdicts::Learn(const JudgingChoice& choice) {
  if (Learned(choice) != nullptr) return Status::Ok();
  KM_ASSIGN(JudgeOptions options, PrepareJudging(choice));
  const std::lock_guard lock(mutex_);
  // Another lane may have learned the same meanwhile; the first is found.
  learned_.emplace_back(choice, std::move(options));
  return Status::Ok();
}

std::optional<KnownVerdict> KnownVerdicts::Find(const VerifyRequest& request) const {
  const JudgeOptions* const options = Learned(request.choice);
  if (options == nullptr) return std::nullopt;
  std::string key = VerdictKey(request.reference, request.code, *options, tool_);
  std::optional<Json> verdict = store_.FindHere(key);
  if (!verdict) return std::nullopt;
  return KnownVerdict{std::move(key), std::move(*verdict)};
}

}  // namespace kernelmill
