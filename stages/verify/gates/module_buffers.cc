#include "stages/verify/gates/module_buffers.h"

#include <optional>
#include <string>
#include <utility>

#include "stages/verify/numerics/trial_comparison.h"

namespace kernelmill {
namespace {

std::string NamesOf(const ReferenceRun& reference) {
  std::string names;
  for (const std::string& name : reference.module_buffers) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

}  // namespace

Result<GateResult> JudgeModuleBuffers(Examination& examination) {
  KM_ASSIGN(const ReferenceRun* const reference, examination.reference_runs->ModuleBuffers());
  if (reference == nullptr) return GateResult::kPassed;
  const bool asked_for = examination.options().contract.module_buffers;
  KM_ASSIGN(const CandidateRun run,
            examination.RunAndBuild(examination.Request(), {AskedTrial{}}, *reference));
  if (run.fault && (run.fault->status == VerdictStatus::kIllegal ||
                    (asked_for && !IsAboutCandidate(run.fault->status)))) {
    return examination.EndWith(*run.fault);
  }
  if (run.fault && !IsAboutCandidate(run.fault->status)) return GateResult::kPassed;
  std::string detail = run.fault ? run.fault->detail : "";
  bool right = !run.fault;
  if (right) {
    std::optional<TrialFault> fault =
        CompareTrial(examination.policy(), *reference, run.trials.front());
    right = !fault;
    if (fault) detail = std::move(fault->detail);
  }
  Verdict& verdict = examination.verdict();
  verdict.generality.buffers = right ? Grade::kAll : Grade::kWrong;
  verdict.trials.push_back({kModuleBuffers, "own", "own", right});
  if (right || !asked_for) return GateResult::kPassed;
  return examination.End(VerdictStatus::kNotGeneral, kModuleBuffers,
                         "the buffers that forward() changes, " + NamesOf(*reference) +
                             ", are compared as further outputs" +
                             (detail.empty() ? "" : ": " + detail));
}

}  // namespace kernelmill
