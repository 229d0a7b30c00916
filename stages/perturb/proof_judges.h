// Judges a mutant in the kind of run that its bug has to fail in: a plain run, a run that checks
// every access for bounds or for races, or a run that counts memory requests. Each lane of the step
// "perturb" owns one.
//
// Not thread-safe: each thread needs its own.
#pragma once

#include <string>
#include <string_view>

#include "generators/perturbation/bug.h"
#include "stages/verify/judge/judge_pool.h"

namespace kernelmill {

class ProofJudges {
 public:
  explicit ProofJudges(StoreUse store_use = StoreUse::kUse) : judges_(store_use) {}

  // `backend` is a KernelBackend::name. Candidates of the same reference should be judged in a row
  // (JudgePool). A verdict "infra" is returned as a Status.
  Result<Verdict> Verify(BugProof proof, std::string_view backend, const std::string& reference,
                         const std::string& code);

 private:
  JudgePool judges_;
};

}  // namespace kernelmill
