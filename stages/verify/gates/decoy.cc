// The gate "decoy": with the kernels switched off a candidate has to be wrong. A result that is
// still right has not come from its kernels.
#include "stages/verify/gates/examination.h"
#include "stages/verify/numerics/trial_comparison.h"

namespace kernelmill {

Result<GateResult> RunWithoutKernels(Examination& candidate) {
  const ReferenceRun& own = candidate.reference->own();
  // A constant result may lie in memory by chance, so being right without kernels says nothing.
  if (!candidate.policy().kernels || IsConstant(own.trials.front())) return GateResult::kPassed;
  CandidateRequest request = candidate.Request();
  request.executor_options["run_kernels"] = false;
  KM_ASSIGN(TorchWorker* const worker, candidate.CandidateWorker());
  KM_ASSIGN(const CandidateRun run, candidate.Run(worker, std::move(request), {AskedTrial{}}, own));
  if (run.fault || run.trials.empty()) return GateResult::kNotCompared;
  if (CompareTrial(candidate.policy(), own, run.trials.front())) return GateResult::kPassed;
  return candidate.EndIllegal("decoy_kernel", "the result is the same when no kernel of it runs");
}

}  // namespace kernelmill
