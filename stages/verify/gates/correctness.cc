// The gate "correctness": the trials with the task's own kind of inputs. In this run the candidate
// also requests its builds (the gate "compile") and constructs its model (the gate "load").
#include <utility>

#include "stages/verify/gates/examination.h"
#include "stages/verify/numerics/trial_comparison.h"

namespace kernelmill {

Result<GateResult> JudgeOwnTrials(Examination& examination) {
  const ReferenceRun& base = examination.reference_runs->base();
  KM_ASSIGN(const CandidateRun run,
            examination.RunAndBuild(examination.Request(), TrialsWhere(base, true), base));
  if (run.fault) return examination.EndWith(*run.fault);
  examination.TakeLaunches(run);
  for (const CandidateTrial& trial : run.trials) {
    const GateResult legal = examination.JudgeOperators(trial);
    if (legal != GateResult::kPassed) return legal;
  }
  Verdict& verdict = examination.verdict();
  if (examination.policy().kernels && verdict.launches.empty()) {
    return examination.EndIllegal("no_kernel", "forward() launches no kernel of its own");
  }
  std::optional<TrialFault> first;
  for (const CandidateTrial& trial : run.trials) {
    std::optional<TrialFault> fault = CompareTrial(examination.policy(), base, trial);
    verdict.trials.push_back({"own", "own", "own", !fault.has_value()});
    if (fault && !first) first = std::move(fault);
  }
  verdict.findings.insert(verdict.findings.end(), run.trials.front().findings.begin(),
                          run.trials.front().findings.end());
  if (!first) return GateResult::kPassed;
  const std::vector<VerdictFinding> parameters = CompareParameters(base.parameters, run.parameters);
  verdict.findings.insert(verdict.findings.end(), parameters.begin(), parameters.end());
  verdict.diagnosis = first->diagnosis;
  return examination.End(VerdictStatus::kWrong, first->reason, first->detail);
}

}  // namespace kernelmill
