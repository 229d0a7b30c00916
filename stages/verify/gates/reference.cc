// The gate "reference": the task itself must run. An end here says nothing about the candidate.
#include "stages/verify/gates/examination.h"

namespace kernelmill {

Result<GateResult> RunReference(Examination& candidate) {
  const JudgeOptions& options = candidate.options();
  KM_ASSIGN(candidate.reference,
            candidate.workers().Reference(candidate.reference_text(),
                                          {options.policy, options.seed, options.training}));
  const std::optional<ReferenceFault>& fault = candidate.reference->fault();
  if (!fault) {
    if (candidate.reference->runs_at_task_sizes()) candidate.verdict().full_size.state = "same";
    candidate.verdict().sizes = candidate.reference->base_sizes();
    return GateResult::kPassed;
  }
  const bool ours = fault->reason == "constructor_arguments";
  return candidate.End(ours ? VerdictStatus::kUnsupported : VerdictStatus::kReferenceFailed,
                       fault->reason, fault->detail);
}

}  // namespace kernelmill
