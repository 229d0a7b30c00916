// The gate "decoy": a candidate whose kernels are switched off must give wrong results. If the
// result is still right, the kernels did not compute it.
#include "stages/verify/gates/examination.h"
#include "stages/verify/numerics/trial_comparison.h"

namespace kernelmill {

Result<GateResult> RunWithoutKernels(Examination& candidate) {
  const ReferenceRun& base = candidate.reference->base();
  // A constant result may be in memory by chance, so a right result without kernels proves nothing.
  if (!candidate.policy().kernels || IsConstant(base.trials.front())) return GateResult::kPassed;
  CandidateRequest request = candidate.Request();
  request.executor_options["run_kernels"] = false;
  KM_ASSIGN(TorchWorker* const worker, candidate.CandidateWorker());
  KM_ASSIGN(const CandidateRun run,
            candidate.Run(worker, std::move(request), {AskedTrial{}}, base));
  if (run.fault || run.trials.empty()) return GateResult::kNotCompared;
  if (CompareTrial(candidate.policy(), base, run.trials.front())) return GateResult::kPassed;
  return candidate.EndIllegal("decoy_kernel", "the result is the same when no kernel of it runs");
}

}  // namespace kernelmill
