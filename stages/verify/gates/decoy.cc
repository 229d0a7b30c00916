// The gate "decoy": shows that the kernels compute the result.
//
// A candidate whose kernels are switched off must give wrong results. If the result is still right,
// the kernels did not compute it. A candidate that ends early without its kernels shows nothing: it
// may ask whether they ran, and compute its result elsewhere.
//
// What a call of forward() does to device memory must give the right result for other inputs too,
// without the candidate's host code (stages/cuda_executor/runtime/replay.h). If it does not, host
// code has computed values, or given those of an earlier call: the recorded call has the inputs of
// the call before it.
#include <algorithm>
#include <utility>
#include <vector>

#include "stages/verify/gates/examination.h"
#include "stages/verify/numerics/trial_comparison.h"

namespace kernelmill {
namespace {

// Trials whose results do not lie in memory by chance: one whose result has different elements, or
// two whose results, of one element say, differ from each other. None if all results are the same
// constant.
std::vector<AskedTrial> TellingTrials(const std::vector<ReferenceTrial>& trials) {
  const auto telling = std::find_if_not(trials.begin(), trials.end(), IsConstant);
  if (telling != trials.end()) {
    return {{static_cast<std::size_t>(telling - trials.begin())}};
  }
  const auto other = std::find_if(trials.begin(), trials.end(), [&](const ReferenceTrial& trial) {
    return !std::equal(trial.outputs.begin(), trial.outputs.end(), trials.front().outputs.begin(),
                       trials.front().outputs.end(),
                       [](const TensorValues& one, const TensorValues& two) {
                         return one.bytes() == two.bytes();
                       });
  });
  if (other == trials.end()) return {};
  return {AskedTrial{}, {static_cast<std::size_t>(other - trials.begin())}};
}

GateResult NothingToCompare(Examination& examination, std::string why) {
  examination.verdict().findings.push_back({std::string(kNotCompared), "", 0, std::move(why)});
  return GateResult::kNotCompared;
}

// `ended_early`: set to the reason if it ends early without its kernels.
Result<GateResult> RunSwitchedOff(Examination& examination, std::string* ended_early) {
  const ReferenceRun& base = examination.reference_runs->base();
  std::vector<AskedTrial> asked = TellingTrials(base.trials);
  if (asked.empty()) {
    return NothingToCompare(examination,
                            "the task's result is constant, so it does not show whether kernels "
                            "compute it");
  }
  CandidateRequest request = examination.Request();
  request.executor_options["run_kernels"] = false;
  KM_ASSIGN(const CandidateRun run,
            examination.RunAndBuild(std::move(request), std::move(asked), base));
  if (run.fault) {
    if (run.fault->status == VerdictStatus::kIllegal) return examination.EndWith(*run.fault);
    *ended_early = run.fault->reason;
    return GateResult::kNotCompared;
  }
  for (const CandidateTrial& trial : run.trials) {
    if (CompareTrial(examination.policy(), base, trial)) return GateResult::kPassed;
  }
  return examination.EndIllegal("decoy_kernel", "the result is the same when no kernel of it runs");
}

Result<GateResult> RunReplay(Examination& examination) {
  const ReferenceRun& base = examination.reference_runs->base();
  if (base.trials.size() < 2) {
    return NothingToCompare(examination, "the task has one kind of inputs only");
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

}  // namespace

Result<GateResult> ShowKernelsCompute(Examination& examination) {
  if (!examination.policy().kernels) return GateResult::kPassed;
  std::string ended_early;
  KM_ASSIGN(const GateResult off, RunSwitchedOff(examination, &ended_early));
  if (off == GateResult::kEnded) return off;
  KM_ASSIGN(const GateResult replay, RunReplay(examination));
  if (replay == GateResult::kEnded || ended_early.empty()) return std::max(off, replay);
  // Host code that reads results reads what nobody has written there.
  if (replay == GateResult::kPassed && examination.reads_results()) return replay;
  return examination.End(VerdictStatus::kUndecided, kNotCompared,
                         "with the kernels switched off its run ends early (" + ended_early +
                             "), so it is not known whether they compute its result");
}

}  // namespace kernelmill
