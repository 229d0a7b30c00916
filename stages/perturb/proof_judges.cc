#include "stages/perturb/proof_judges.h"

#include <algorithm>

#include "stages/verify/cpu_judge.h"
#include "stages/verify/verify_batch.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostJudges = 4;

}  // namespace

Result<ProofJudges> ProofJudges::WithStore() {
  KM_ASSIGN(VerdictStore verdicts, VerdictStore::Open(VerdictStore::DefaultFolder()));
  KM_ASSIGN(ToolIdentity tool, ReadToolIdentity());
  ProofJudges judges;
  judges.store_.emplace(Store{std::move(verdicts), std::move(tool)});
  return judges;
}

Result<ProofJudges::Bench*> ProofJudges::BenchOf(bool musa, BugProof proof) {
  const auto found = std::find_if(benches_.begin(), benches_.end(), [&](const Bench& bench) {
    return bench.musa == musa && bench.proof == proof;
  });
  if (found != benches_.end()) {
    benches_.splice(benches_.begin(), benches_, found);
  } else {
    KM_ASSIGN(JudgeOptions options, CpuJudge({.musa = musa,
                                              .memory = proof == BugProof::kMemory,
                                              .races = proof == BugProof::kRaces,
                                              .count = proof == BugProof::kCounts}));
    benches_.push_front({musa, proof, std::move(options), std::nullopt});
  }
  if (benches_.size() > kMostJudges) std::next(benches_.begin(), kMostJudges)->judge.reset();
  return &benches_.front();
}

Result<Verdict> ProofJudges::Verify(BugProof proof, std::string_view backend,
                                    const std::string& reference, const std::string& code) {
  KM_ASSIGN(Bench * bench, BenchOf(backend == "musa", proof));
  if (!store_) {
    if (!bench->judge) {
      KM_ASSIGN(bench->judge, Judge::Start(bench->options));
    }
    return bench->judge->Verify(reference, code);
  }
  const std::string key = VerdictKey(reference, code, bench->options, store_->tool);
  KM_ASSIGN(const Json json, VerifyOne(bench->options, key, reference, code, store_->verdicts,
                                       /*fresh=*/false, &bench->judge));
  KM_ASSIGN(Verdict verdict, Verdict::FromJson(json));
  if (verdict.status == VerdictStatus::kInfra) {
    return Status(ErrorCode::kWorker, "a mutant could not be judged: " + verdict.detail);
  }
  return verdict;
}

}  // namespace kernelmill
