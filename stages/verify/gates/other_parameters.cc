#include "stages/verify/gates/other_parameters.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "stages/verify/numerics/trial_comparison.h"

namespace kernelmill {
namespace {

// The kind of a trial in the verdict.
constexpr char kKind[] = "other_parameters";

// What the candidate has of the reference's parameters.
struct Correspondence {
  std::string arranged;  // The name of one that it may have arranged in another way, or "".
  std::string missing;   // The name of one that it does not have, or "".
};

Correspondence Compare(const Json& expected, const Json& got) {
  std::multiset<std::string> values;
  std::set<std::string> names;
  for (const Json& parameter : got.as_array()) {
    values.insert(parameter.TextAt("sha256"));
    names.insert(parameter.TextAt("name"));
  }
  Correspondence found;
  for (const Json& parameter : expected.as_array()) {
    const auto same = values.find(parameter.TextAt("sha256"));
    const std::string name = parameter.TextAt("name");
    if (same != values.end()) {
      values.erase(same);
    } else if (names.contains(name)) {
      found.arranged = name;
    } else {
      found.missing = name;
    }
  }
  return found;
}

GateResult EndWrong(Examination& examination, const Correspondence& found, std::string why) {
  std::string detail =
      "for other values of the parameters that the reference's constructor fills with a constant, "
      "as training or load_state_dict() gives them";
  if (!found.missing.empty()) detail += "; it has no parameter " + found.missing;
  if (!why.empty()) detail += ": " + std::move(why);
  return examination.End(VerdictStatus::kNotGeneral, "other_values", std::move(detail));
}

}  // namespace

Result<GateResult> JudgeOtherParameters(Examination& examination) {
  KM_ASSIGN(const ReferenceRun* const reference, examination.reference_runs->OtherParameters());
  if (reference == nullptr) return GateResult::kPassed;
  KM_ASSIGN(const CandidateRun run,
            examination.RunAndBuild(examination.Request(), TrialsWhere(*reference, true),
                                    *reference));
  Verdict& verdict = examination.verdict();
  if (run.fault && run.fault->status == VerdictStatus::kIllegal) {
    return examination.EndWith(*run.fault);
  }
  if (run.fault && !IsAboutCandidate(run.fault->status)) return GateResult::kPassed;
  if (run.fault) {
    verdict.trials.push_back({"own", kKind, "own", false});
    return EndWrong(examination, {}, run.fault->detail);
  }
  const Correspondence found = Compare(reference->parameters, run.parameters);
  for (const CandidateTrial& trial : run.trials) {
    if (examination.JudgeOperators(trial) == GateResult::kEnded) return GateResult::kEnded;
    const std::optional<TrialFault> fault = CompareTrial(examination.policy(), *reference, trial);
    if (fault && !found.arranged.empty()) {
      verdict.findings.push_back({kKind, "", 0,
                                  "it has other values than the reference under the name " +
                                      found.arranged +
                                      ", so that trials with other parameters did not decide"});
      return GateResult::kPassed;
    }
    verdict.trials.push_back({"own", kKind, "own", !fault});
    if (!fault) continue;
    verdict.diagnosis = fault->diagnosis;
    return EndWrong(examination, found, fault->detail);
  }
  return GateResult::kPassed;
}

}  // namespace kernelmill
