// The gate "correctness": the trials with the task's own kind of inputs. In the first run the
// candidate also requests its builds (the gate "compile") and constructs its model (the gate
// "load").
#include <utility>

#include "manifests/digest.h"
#include "stages/verify/gates/examination.h"
#include "stages/verify/gates/many_calls.h"
#include "stages/verify/numerics/trial_comparison.h"

namespace kernelmill {
namespace {

// Judges the trials of a run that ended without a fault. Those as on a device count as one with the
// trial before them, whose inputs they have.
GateResult JudgeRun(Examination& examination, const ReferenceRun& reference,
                    const CandidateRun& run) {
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
    std::optional<TrialFault> fault = CompareTrial(examination.policy(), reference, trial);
    if (trial.asked.as_device) {
      verdict.trials.back().passed = verdict.trials.back().passed && !fault;
      if (fault) fault->detail = AsDevice(fault->detail);
    } else {
      verdict.trials.push_back({"own", "own", "own", !fault.has_value()});
    }
    if (fault && !first) first = std::move(fault);
  }
  verdict.findings.insert(verdict.findings.end(), run.trials.front().findings.begin(),
                          run.trials.front().findings.end());
  if (!first) return GateResult::kPassed;
  const std::vector<VerdictFinding> parameters =
      CompareParameters(examination.reference_runs->base().parameters, run.parameters);
  verdict.findings.insert(verdict.findings.end(), parameters.begin(), parameters.end());
  verdict.diagnosis = first->diagnosis;
  return examination.End(VerdictStatus::kWrong, first->reason, first->detail);
}

// The inputs of the last trial follow from the candidate's own text too. So no text can contain the
// results that belong to them: adding them would change the inputs, even where the seed is known.
std::uint64_t SeedOfText(const Examination& examination) {
  return Sha256()
      .Field("inputs of a candidate")
      .Field(std::to_string(examination.seed()))
      .Field(examination.reference_text())
      .Field(examination.code)
      .Finish()
      .Prefix64();
}

Result<GateResult> JudgeTrialOfText(Examination& examination) {
  KM_ASSIGN(const ReferenceRun reference,
            examination.reference_runs->WithSeed(SeedOfText(examination)));
  if (reference.trials.empty()) {
    const ReferenceFault fault = reference.first_problem.value_or(ReferenceFault{"raised", ""});
    return examination.End(VerdictStatus::kReferenceFailed, fault.reason, fault.detail);
  }
  KM_ASSIGN(const CandidateRun run,
            examination.RunAndBuild(examination.Request(),
                                    {AskedTrial{}, AskedTrial{.as_device = true}}, reference));
  if (run.fault) {
    CandidateFault fault = *run.fault;
    if (fault.trial == 1) fault.detail = AsDevice(fault.detail);
    return examination.EndWith(fault);
  }
  return JudgeRun(examination, reference, run);
}

}  // namespace

Result<GateResult> JudgeOwnTrials(Examination& examination) {
  const ReferenceRun& base = examination.reference_runs->base();
  KM_ASSIGN(const CandidateRun run,
            examination.RunAndBuild(examination.Request(), TrialsWhere(base, true), base));
  if (run.fault) return examination.EndWith(*run.fault);
  examination.TakeLaunches(run);
  if (const GateResult own = JudgeRun(examination, base, run); own != GateResult::kPassed) {
    return own;
  }
  KM_ASSIGN(const GateResult of_text, JudgeTrialOfText(examination));
  return of_text == GateResult::kPassed ? JudgeManyCalls(examination) : of_text;
}

}  // namespace kernelmill
