// The gate "reference": the task itself must run. An end here says nothing about the candidate.
#include "stages/verify/gates/examination.h"

namespace kernelmill {

Result<GateResult> RunReference(Examination& examination) {
  const JudgeOptions& options = examination.options();
  KM_ASSIGN(examination.reference_runs,
            examination.workers().Reference(examination.reference_text(),
                                            {options.policy, options.seed, options.training}));
  const std::optional<ReferenceFault>& fault = examination.reference_runs->fault();
  if (!fault) {
    if (examination.reference_runs->runs_at_task_sizes())
      examination.verdict().full_size.state = "same";
    examination.verdict().sizes = examination.reference_runs->base_sizes();
    return GateResult::kPassed;
  }
  const bool ours = fault->reason == "constructor_arguments";
  return examination.End(ours ? VerdictStatus::kUnsupported : VerdictStatus::kReferenceFailed,
                         fault->reason, fault->detail);
}

}  // namespace kernelmill
