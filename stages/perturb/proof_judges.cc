#include "stages/perturb/proof_judges.h"

namespace kernelmill {

Result<Verdict> ProofJudges::Verify(BugProof proof, std::string_view backend,
                                    const std::string& reference, const std::string& code) {
  return judges_.Verify({.musa = backend == "musa",
                         .memory = proof == BugProof::kMemory,
                         .races = proof == BugProof::kRaces,
                         .count = proof == BugProof::kCounts},
                        reference, code);
}

}  // namespace kernelmill
