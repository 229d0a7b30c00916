// The gate "decoy": a candidate whose kernels are switched off must give wrong results. If the
// result is still right, the kernels did not compute it. A candidate that ends early without its
// kernels shows nothing: it may ask whether they ran, and compute its result elsewhere.
#include <algorithm>
#include <utility>

#include "stages/verify/gates/examination.h"
#include "stages/verify/numerics/trial_comparison.h"

namespace kernelmill {

Result<GateResult> RunWithoutKernels(Examination& examination) {
  if (!examination.policy().kernels) return GateResult::kPassed;
  const ReferenceRun& base = examination.reference_runs->base();
  // A constant result may be in memory by chance, so a right result without kernels proves nothing.
  const auto telling = std::find_if_not(base.trials.begin(), base.trials.end(), IsConstant);
  if (telling == base.trials.end()) {
    examination.verdict().findings.push_back(
        {std::string(kNotCompared), "", 0,
         "the task's result is constant, so it does not show whether kernels compute it"});
    return GateResult::kNotCompared;
  }
  CandidateRequest request = examination.Request();
  request.executor_options["run_kernels"] = false;
  const AskedTrial asked{static_cast<std::size_t>(telling - base.trials.begin())};
  KM_ASSIGN(const CandidateRun run,
            examination.RunAndBuild(std::move(request), {asked}, base));
  if (run.fault) {
    if (run.fault->status == VerdictStatus::kIllegal) return examination.EndWith(*run.fault);
    return examination.End(VerdictStatus::kUndecided, kNotCompared,
                           "with the kernels switched off its run ends early (" +
                               run.fault->reason +
                               "), so it is not known whether they compute its result");
  }
  if (CompareTrial(examination.policy(), base, run.trials.front())) return GateResult::kPassed;
  return examination.EndIllegal("decoy_kernel", "the result is the same when no kernel of it runs");
}

}  // namespace kernelmill
