// The gate "sanitize": a candidate that is right runs once more with every access of its kernels
// checked, for accesses outside of their memory and for accesses that nothing orders.
#include <algorithm>
#include <utility>

#include "stages/verify/gates/examination.h"

namespace kernelmill {
namespace {

// The sizes that feedback may name: tails that leave their tensor show where sizes are odd.
constexpr int kOddSizes = 0;

// Whether a run that ended so says something about the candidate: the checks themselves take time
// and memory.
bool IsOfCandidate(const CandidateFault& fault) {
  return fault.finding && fault.reason != "time_limit" && fault.reason != "step_budget";
}

Result<GateResult> RunOne(Examination& candidate, const CheckedBuild& check) {
  if (!candidate.libraries().built_any()) return GateResult::kPassed;
  KM_ASSIGN(TorchWorker* const worker, candidate.CandidateWorker(check.environment));
  KM_ASSIGN(const std::optional<CandidateRequest> request, candidate.RequestWith(check));
  if (!request) return GateResult::kNotCompared;
  KM_ASSIGN(const ReferenceRun* const other, candidate.reference->Other(kOddSizes));
  GateResult result = GateResult::kPassed;
  for (const ReferenceRun* reference : {&candidate.reference->own(), other}) {
    if (reference == nullptr) continue;
    KM_ASSIGN(const CandidateRun run, candidate.Run(worker, *request, {AskedTrial{}}, *reference));
    if (run.fault) {
      if (IsOfCandidate(*run.fault)) return candidate.EndWith(*run.fault);
      candidate.verdict().findings.push_back(
          {std::string(kNotSanitized), "", 0,
           "its run with checks ended early: " + run.fault->reason});
      result = GateResult::kNotCompared;
      continue;
    }
    for (const CandidateTrial& trial : run.trials) {
      if (candidate.JudgeFindings(trial.findings) == GateResult::kEnded) return GateResult::kEnded;
    }
    if (run.trials.empty()) result = GateResult::kNotCompared;
  }
  return result;
}

}  // namespace

Result<GateResult> RunChecked(Examination& candidate) {
  GateResult result = GateResult::kPassed;
  for (const CheckedBuild& check : candidate.options().checks) {
    KM_ASSIGN(const GateResult checked, RunOne(candidate, check));
    result = std::max(result, checked);
    if (result == GateResult::kEnded) break;
  }
  return result;
}

}  // namespace kernelmill
