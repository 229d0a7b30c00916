#include "stages/perturb/proof_judges.h"

#include "stages/verify/cpu_judge.h"

namespace kernelmill {

Result<Verdict> ProofJudges::Verify(BugProof proof, std::string_view backend,
                                    const std::string& reference, const std::string& code) {
  const std::pair<bool, BugProof> key = {backend == "musa", proof};
  auto judge = judges_.find(key);
  if (judge == judges_.end()) {
    KM_ASSIGN(JudgeOptions options, CpuJudge({.musa = key.first,
                                              .memory = proof == BugProof::kMemory,
                                              .races = proof == BugProof::kRaces,
                                              .count = proof == BugProof::kCounts}));
    KM_ASSIGN(Judge started, Judge::Start(std::move(options)));
    judge = judges_.emplace(key, std::move(started)).first;
  }
  return judge->second.Verify(reference, code);
}

}  // namespace kernelmill
