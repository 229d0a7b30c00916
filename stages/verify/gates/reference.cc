// The gate "reference": the task itself must run. An end here says nothing about the candidate.
#include "stages/verify/gates/examination.h"

namespace kernelmill {

Result<GateResult> RunReference(Examination& examination) {
  const JudgeOptions& options = examination.options();
  KM_ASSIGN(examination.reference_runs,
            examination.workers().Reference(
                examination.reference_text(),
                {options.policy, examination.seed(), options.training, options.own_size_cpu_ms}));
  const std::optional<ReferenceFault>& fault = examination.reference_runs->fault();
  if (!fault) {
    KM_ASSIGN(const bool smallest, examination.UseBase(BaseSet::kSmallest));
    (void)smallest;  // It exists, because there is no fault.
    return GateResult::kPassed;
  }
  const bool ours = fault->reason == "constructor_arguments";
  return examination.End(ours ? VerdictStatus::kUnsupported : VerdictStatus::kReferenceFailed,
                         fault->reason, fault->detail);
}

}  // namespace kernelmill
