// The gate "decoy": a candidate whose kernels are switched off must give wrong results. If the
// result is still right, the kernels did not compute it. A candidate that ends early without its
// kernels shows nothing: it may ask whether they ran, and compute its result elsewhere. If its host
// code reads results, it may end for what it finds there; the gate "replay" then decides.
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

}  // namespace

Result<GateResult> RunWithoutKernels(Examination& examination) {
  if (!examination.policy().kernels) return GateResult::kPassed;
  const ReferenceRun& base = examination.reference_runs->base();
  std::vector<AskedTrial> asked = TellingTrials(base.trials);
  if (asked.empty()) {
    examination.verdict().findings.push_back(
        {std::string(kNotCompared), "", 0,
         "the task's result is constant, so it does not show whether kernels compute it"});
    return GateResult::kNotCompared;
  }
  CandidateRequest request = examination.Request();
  request.executor_options["run_kernels"] = false;
  KM_ASSIGN(const CandidateRun run,
            examination.RunAndBuild(std::move(request), std::move(asked), base));
  if (run.fault) {
    if (run.fault->status == VerdictStatus::kIllegal) return examination.EndWith(*run.fault);
    if (examination.reads_results()) return GateResult::kNotCompared;
    return examination.End(VerdictStatus::kUndecided, kNotCompared,
                           "with the kernels switched off its run ends early (" +
                               run.fault->reason +
                               "), so it is not known whether they compute its result");
  }
  for (const CandidateTrial& trial : run.trials) {
    if (CompareTrial(examination.policy(), base, trial)) return GateResult::kPassed;
  }
  return examination.EndIllegal("decoy_kernel", "the result is the same when no kernel of it runs");
}

}  // namespace kernelmill
