// The gate "decoy": a candidate whose kernels are switched off must give wrong results. If the
// result is still right, the kernels did not compute it.
#include "stages/verify/gates/examination.h"
#include "stages/verify/numerics/trial_comparison.h"

namespace kernelmill {

Result<GateResult> RunWithoutKernels(Examination& examination) {
  const ReferenceRun& base = examination.reference_runs->base();
  // A constant result may be in memory by chance, so a right result without kernels proves nothing.
  if (!examination.policy().kernels || IsConstant(base.trials.front())) return GateResult::kPassed;
  CandidateRequest request = examination.Request();
  request.executor_options["run_kernels"] = false;
  KM_ASSIGN(TorchWorker* const worker, examination.CandidateWorker());
  KM_ASSIGN(const CandidateRun run,
            examination.Run(worker, std::move(request), {AskedTrial{}}, base));
  if (run.fault && run.fault->status == VerdictStatus::kIllegal) {
    return examination.EndWith(*run.fault);
  }
  if (run.fault || run.trials.empty()) return GateResult::kNotCompared;
  if (CompareTrial(examination.policy(), base, run.trials.front())) return GateResult::kPassed;
  return examination.EndIllegal("decoy_kernel", "the result is the same when no kernel of it runs");
}

}  // namespace kernelmill
