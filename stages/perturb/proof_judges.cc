#include "stages/perturb/proof_judges.h"

#include <algorithm>

#include "stages/verify/cpu_judge.h"

namespace kernelmill {
Result<ProofJudges> ProofJudges::WithStore() {
  ProofJudges judges;
  KM_ASSIGN(judges.stored_, StoredVerdicts::Open());
  return judges;
}

Result<ProofJudges::Bench*> ProofJudges::BenchOf(bool musa, BugProof proof) {
  const auto found = std::find_if(benches_.begin(), benches_.end(), [&](const Bench& bench) {
    return bench.musa == musa && bench.proof == proof;
  });
  if (found != benches_.end()) return &*found;
  KM_ASSIGN(JudgeOptions options, CpuJudge({.musa = musa,
                                            .memory = proof == BugProof::kMemory,
                                            .races = proof == BugProof::kRaces,
                                            .count = proof == BugProof::kCounts}));
  options.workers = workers_;
  benches_.push_back({musa, proof, std::move(options), std::nullopt});
  return &benches_.back();
}

Result<Verdict> ProofJudges::Verify(BugProof proof, std::string_view backend,
                                    const std::string& reference, const std::string& code) {
  KM_ASSIGN(Bench * bench, BenchOf(backend == "musa", proof));
  if (stored_) return stored_->Verify(bench->options, reference, code, &bench->judge);
  if (!bench->judge) {
    KM_ASSIGN(bench->judge, Judge::Start(bench->options));
  }
  return bench->judge->Verify(reference, code);
}

}  // namespace kernelmill
