// The gate "replay": what one call of forward() does to device memory must give the right result for
// other inputs too, without the candidate's host code (stages/cuda_executor/runtime/replay.h). If it
// does not, host code has computed values, or given those of an earlier call: the recorded call has
// the inputs of the call before it.
#include "stages/verify/gates/examination.h"
#include "stages/verify/numerics/trial_comparison.h"

namespace kernelmill {

Result<GateResult> RunReplayed(Examination& examination) {
  if (!examination.policy().kernels) return GateResult::kPassed;
  const ReferenceRun& base = examination.reference_runs->base();
  if (base.trials.size() < 2) {
    examination.verdict().findings.push_back(
        {std::string(kNotCompared), "", 0,
         "the task has one kind of inputs, so launches could not run again with other ones"});
    return GateResult::kNotCompared;
  }
  // Trials with the task's own kind of values come first.
  const AskedTrial first{0}, replayed{1, "own", 0};
  KM_ASSIGN(const CandidateRun run,
            examination.RunAndBuild(examination.Request(), {first, replayed}, base));
  if (run.fault) {
    if (run.fault->status == VerdictStatus::kIllegal) return examination.EndWith(*run.fault);
    return examination.End(VerdictStatus::kUndecided, kNotCompared,
                           "its launches, run again with other inputs, end early (" +
                               run.fault->reason + "): " + run.fault->detail);
  }
  const CandidateTrial& trial = run.trials.back();
  if (trial.refused || !trial.not_replayed.empty()) {
    return examination.End(VerdictStatus::kUndecided, kNotCompared,
                           "its launches did not run again with other inputs: " +
                               trial.not_replayed);
  }
  if (!CompareTrial(examination.policy(), base, trial)) return GateResult::kPassed;
  if (trial.same_replayed) {
    // It may keep what it derives from its parameters in its first call.
    return examination.End(VerdictStatus::kUndecided, kNotCompared,
                           "its host code reads values of the device, and its launches, run again, "
                           "do not give the result without what earlier calls have left in memory");
  }
  return examination.EndIllegal("host_values",
                                "its launches, run again with other inputs, do not give their "
                                "results: host code decides values of the result");
}

}  // namespace kernelmill
