// Judges a mutant by the runs that its bug has to fail in: plain ones, with every access checked
// for bounds or for races, or with its memory requests counted.
//
// Not thread-safe: one for each thread.
#pragma once

#include <string>
#include <string_view>

#include "generators/perturbation/bug.h"
#include "stages/verify/judge/judge_pool.h"

namespace kernelmill {

class ProofJudges {
 public:
  explicit ProofJudges(VerdictCache cache = VerdictCache::kUse) : judges_(cache) {}

  // backend: a KernelBackend::name. It is best to ask for all candidates of one reference in a row
  // (JudgePool). A verdict "infra" is a Status.
  Result<Verdict> Verify(BugProof proof, std::string_view backend, const std::string& reference,
                         const std::string& code);

 private:
  JudgePool judges_;
};

}  // namespace kernelmill
