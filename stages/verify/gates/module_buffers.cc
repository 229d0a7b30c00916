#include "stages/verify/gates/module_buffers.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "stages/verify/numerics/trial_comparison.h"

namespace kernelmill {
namespace {

// Which buffers differ, as far as the comparison says it.
std::string NamesOf(const ReferenceRun& reference, const std::optional<TrialFault>& fault) {
  const std::vector<std::string>& names = reference.module_buffers;
  if (fault && fault->diagnosis) {
    const auto first =
        static_cast<std::int64_t>(reference.trials.front().outputs.size() - names.size());
    const std::int64_t which = fault->diagnosis->output - first;
    if (which >= 0 && which < static_cast<std::int64_t>(names.size())) {
      return names[static_cast<std::size_t>(which)];
    }
  }
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "one of " : ", ") + name;
  return all;
}

}  // namespace

Result<GateResult> JudgeModuleBuffers(Examination& examination) {
  const bool asked_for = examination.options().contract.module_buffers;
  KM_ASSIGN(const ReferenceRun* const reference, examination.reference_runs->ModuleBuffers());
  if (reference == nullptr) {
    if (!asked_for || examination.reference_runs->base().module_buffers.empty()) {
      return GateResult::kPassed;
    }
    return examination.End(VerdictStatus::kUndecided, kNotCompared,
                           "the contract asks for the module's buffers, and what the reference "
                           "leaves there says nothing about an answer");
  }
  KM_ASSIGN(const CandidateRun run,
            examination.RunAndBuild(examination.Request(), {AskedTrial{}}, *reference));
  if (run.fault && run.fault->status == VerdictStatus::kIllegal) {
    return examination.EndWith(*run.fault);
  }
  if (run.fault && !IsAboutCandidate(run.fault->status)) {
    return asked_for ? examination.EndWith(*run.fault) : GateResult::kPassed;
  }
  std::optional<TrialFault> fault;
  if (!run.fault) fault = CompareTrial(examination.policy(), *reference, run.trials.front());
  const bool right = !run.fault && !fault;
  Verdict& verdict = examination.verdict();
  verdict.generality.buffers = right ? Grade::kAll : Grade::kWrong;
  verdict.trials.push_back({kModuleBuffers, "own", "own", right});
  if (right || !asked_for) return GateResult::kPassed;
  std::string detail =
      "after two calls, " + NamesOf(*reference, fault) + " differs from what the reference has";
  const std::string& more = run.fault ? run.fault->detail : fault->detail;
  if (!more.empty()) detail += ": " + more;
  if (fault) verdict.diagnosis = fault->diagnosis;
  return examination.End(VerdictStatus::kNotGeneral, kModuleBuffers, std::move(detail));
}

}  // namespace kernelmill
