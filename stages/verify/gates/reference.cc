// The gate "reference": the task itself must run. An end here says nothing about the candidate.
#include <string_view>

#include "stages/verify/gates/examination.h"

namespace kernelmill {
namespace {

// Fewer trials may give equal results by chance.
constexpr std::size_t kLeastTrials = 3;

// Whether all trials of a reference have the same outputs, bit for bit, although their inputs
// differ. Then a result that is written down proves nothing of an answer. Outputs of bools or
// integers alone may be equal for most inputs, as a count of rare events is.
bool GivesOneResult(const ReferenceRun& run) {
  if (run.trials.size() < kLeastTrials) return false;
  const std::vector<TensorValues>& first = run.trials.front().outputs;
  bool floating = false;
  for (const TensorValues& output : first) floating = floating || output.is_floating();
  if (!floating) return false;
  bool inputs_differ = false;
  for (const ReferenceTrial& trial : run.trials) {
    inputs_differ = inputs_differ || trial.seed != run.trials.front().seed;
    if (trial.outputs.size() != first.size()) return false;
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (trial.outputs[i].shape() != first[i].shape() || trial.outputs[i].size() != first[i].size())
        return false;
      for (std::int64_t at = 0; at < first[i].size(); ++at) {
        const double one = first[i].At(at), other = trial.outputs[i].At(at);
        if (one != other) return false;  // NaN too: it comes from inputs.
      }
    }
  }
  return inputs_differ;
}

}  // namespace

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
    if (examination.policy().has_rules && GivesOneResult(examination.reference_runs->base())) {
      return examination.End(
          VerdictStatus::kReferenceFailed, "one_result",
          "the reference gives the same result for all inputs, so that no answer can be proved");
    }
    return GateResult::kPassed;
  }
  const bool ours = fault->reason == "constructor_arguments";
  return examination.End(ours ? VerdictStatus::kUnsupported : VerdictStatus::kReferenceFailed,
                         fault->reason, fault->detail);
}

}  // namespace kernelmill
