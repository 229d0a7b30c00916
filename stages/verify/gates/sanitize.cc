// The gate "sanitize": runs a candidate again in instrumented builds, which report out-of-bounds
// accesses and data races, at two sets of sizes each. The judge asks it for right candidates, and
// for wrong ones whose cause may be hidden (FindHiddenCause() in judge.cc).
#include <algorithm>
#include <utility>

#include "stages/verify/gates/examination.h"

namespace kernelmill {
namespace {

// The variant of OtherSizes() that feedback may name. Its odd sizes reveal accesses beyond the end
// of a tensor.
constexpr int kOddSizes = 0;

// Whether the fault is the candidate's. Time and memory may run out because of the instrumentation.
bool IsOfCandidate(const CandidateFault& fault) {
  if (fault.status == VerdictStatus::kIllegal) return true;
  return fault.finding && fault.reason != "time_limit" && fault.reason != "step_budget";
}

Result<GateResult> RunOne(Examination& examination, const InstrumentedBuild& build) {
  if (!examination.libraries().built_any()) return GateResult::kPassed;
  KM_ASSIGN(TorchWorker* const worker, examination.CandidateWorker(build.environment));
  KM_ASSIGN(const std::optional<CandidateRequest> request, examination.RequestWith(build));
  if (!request) return GateResult::kNotCompared;
  KM_ASSIGN(const ReferenceRun* const other, examination.reference_runs->Other(kOddSizes));
  GateResult result = GateResult::kPassed;
  for (const ReferenceRun* reference : {&examination.reference_runs->base(), other}) {
    if (reference == nullptr) continue;
    KM_ASSIGN(const CandidateRun run,
              examination.Run(worker, *request, {AskedTrial{}}, *reference));
    if (run.fault) {
      if (IsOfCandidate(*run.fault)) return examination.EndWith(*run.fault);
      examination.verdict().findings.push_back(
          {std::string(kNotSanitized), "", 0,
           "its run with checks ended early: " + run.fault->reason});
      result = GateResult::kNotCompared;
      continue;
    }
    for (const CandidateTrial& trial : run.trials) {
      if (examination.JudgeFindings(trial.findings) == GateResult::kEnded)
        return GateResult::kEnded;
    }
    if (run.trials.empty()) result = GateResult::kNotCompared;
  }
  return result;
}

}  // namespace

Result<GateResult> RunSanitized(Examination& examination) {
  GateResult result = GateResult::kPassed;
  for (const InstrumentedBuild& build : examination.options().sanitizers) {
    KM_ASSIGN(const GateResult sanitized, RunOne(examination, build));
    result = std::max(result, sanitized);
    if (result == GateResult::kEnded) break;
  }
  return result;
}

}  // namespace kernelmill
