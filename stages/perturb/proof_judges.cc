#include "stages/perturb/proof_judges.h"

#include "corpora/kernel_backend.h"

namespace kernelmill {

Result<Verdict> ProofJudges::Verify(BugProof proof, std::string_view backend,
                                    const std::string& reference, const std::string& code) {
  KM_ASSIGN(const KernelBackend* const named, KernelBackendNamed(backend));
  return judges_.JudgeOrFail({.backend = named,
                              .contract = kAnyShapeAndLayout,
                              .memory = proof == BugProof::kMemory,
                              .races = proof == BugProof::kRaces,
                              .count = proof == BugProof::kCounts},
                             reference, code);
}

}  // namespace kernelmill
