// The gate "reference": the task itself must run. An end here says nothing about the candidate.
#include <algorithm>
#include <utility>
#include <vector>

#include "stages/verify/gates/examination.h"

namespace kernelmill {
namespace {

// Fewer trials may give equal results by chance.
constexpr std::size_t kLeastTrials = 3;

bool AreEqual(const std::vector<TensorValues>& one, const std::vector<TensorValues>& other) {
  if (one.size() != other.size()) return false;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i].shape() != other[i].shape() || one[i].size() != other[i].size()) return false;
    for (std::int64_t at = 0; at < one[i].size(); ++at) {
      // A NaN counts as different: inputs have made it.
      if (one[i].At(at) != other[i].At(at)) return false;
    }
  }
  return true;
}

// Adds the descriptions of the tensors among encoded arguments (torch_worker/exchange.py).
void AddTensors(const Json& value, Json::Array* specs) {
  if (value.is_array()) {
    for (const Json& item : value.as_array()) AddTensors(item, specs);
  } else if (value.is_object()) {
    if (value.Find("dtype") != nullptr && value.Find("offset") != nullptr) specs->push_back(value);
    for (const auto& [name, item] : value.as_object()) AddTensors(item, specs);
  }
}

// Whether the tensors among the inputs of two trials are equal.
bool HaveEqualInputs(const ReferenceRun& run, const ReferenceTrial& one,
                     const ReferenceTrial& other) {
  Json::Array specs, others;
  AddTensors(one.inputs, &specs);
  AddTensors(other.inputs, &others);
  const auto tensors = TensorsFromSpecs(Json(std::move(specs)), run.inputs.bytes());
  const auto other_tensors = TensorsFromSpecs(Json(std::move(others)), run.inputs.bytes());
  return tensors.ok() && other_tensors.ok() && AreEqual(*tensors, *other_tensors);
}

// Whether all trials of a reference have equal outputs, although their inputs are drawn and differ.
// Then a result that is written down proves nothing of an answer. Outputs of bools or integers
// alone may be equal for most inputs, as a count of rare events is. A task that draws nothing
// always has one result, and asks for no other.
bool GivesOneResult(const ReferenceRun& run) {
  if (run.trials.size() < kLeastTrials) return false;
  const ReferenceTrial& first = run.trials.front();
  const bool floating = std::ranges::any_of(
      first.outputs, [](const TensorValues& output) { return output.is_floating(); });
  if (!floating) return false;
  bool inputs_differ = false;
  for (const ReferenceTrial& trial : run.trials) {
    inputs_differ = inputs_differ || !HaveEqualInputs(run, first, trial);
    if (!AreEqual(trial.outputs, first.outputs)) return false;
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
