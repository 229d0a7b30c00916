#include "stages/verify/stored_verdicts.h"

#include "stages/verify/batch/verify_batch.h"

namespace kernelmill {

Result<StoredVerdicts> StoredVerdicts::Open() {
  KM_ASSIGN(VerdictStore store, VerdictStore::Open(VerdictStore::DefaultFolder()));
  KM_ASSIGN(ToolIdentity tool, ReadToolIdentity());
  return StoredVerdicts(std::move(store), std::move(tool));
}

Result<Verdict> StoredVerdicts::Verify(const JudgeOptions& options, const std::string& reference,
                                       const std::string& code, std::optional<Judge>* judge) const {
  const std::string key = VerdictKey(reference, code, options, tool_);
  KM_ASSIGN(const Json json,
            VerifyOne(options, key, reference, code, store_, /*fresh=*/false, judge));
  KM_ASSIGN(Verdict verdict, Verdict::FromJson(json));
  if (verdict.status == VerdictStatus::kInfra) {
    return Status(ErrorCode::kWorker, "a candidate could not be judged: " + verdict.detail);
  }
  return verdict;
}

}  // namespace kernelmill
