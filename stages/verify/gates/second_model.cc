#include "stages/verify/gates/second_model.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "stages/verify/numerics/trial_comparison.h"

namespace kernelmill {
namespace {

// The kind of the trial in the verdict.
constexpr char kKind[] = "second_model";

}  // namespace

Result<GateResult> JudgeSecondModel(Examination& examination) {
  const ReferenceRun& base = examination.reference_runs->base();
  if (base.parameters.as_array().empty()) return GateResult::kPassed;
  std::vector<AskedTrial> asked = TrialsWhere(base, true);
  asked.resize(std::min<std::size_t>(asked.size(), 1));
  CandidateRequest request = examination.Request();
  request.after_another = true;
  KM_ASSIGN(const CandidateRun run,
            examination.RunAndBuild(std::move(request), std::move(asked), base));
  if (run.fault && run.fault->status == VerdictStatus::kIllegal) {
    return examination.EndWith(*run.fault);
  }
  if (run.fault && !IsAboutCandidate(run.fault->status)) return GateResult::kPassed;
  std::optional<std::string> why;
  if (run.fault) why = run.fault->detail;
  for (const CandidateTrial& trial : run.trials) {
    const std::optional<TrialFault> fault = CompareTrial(examination.policy(), base, trial);
    if (!fault || why) continue;
    why = fault->detail;
    examination.verdict().diagnosis = fault->diagnosis;
  }
  examination.verdict().trials.push_back({"own", kKind, "own", !why});
  if (!why) return GateResult::kPassed;
  return examination.End(VerdictStatus::kNotGeneral, "other_values",
                         "for a second model of the process, after calls of the first, whose "
                         "parameters have other values, also at the same addresses, as "
                         "load_state_dict() or a step of an optimizer gives them, or memory that "
                         "is freed and given out again" +
                             (why->empty() ? "" : ": " + *why));
}

}  // namespace kernelmill
