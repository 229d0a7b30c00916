#include "stages/verify/gates/many_calls.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "stages/verify/numerics/trial_comparison.h"

namespace kernelmill {
namespace {

// A candidate that is right in this many calls can compute the task at these sizes.
constexpr std::size_t kFirstCalls = 3;
// Processor time of all calls, as a multiple of the usual limit of a process. A call takes
// milliseconds.
constexpr std::int64_t kTimes = 3;

GateResult EndAtCall(Examination& examination, std::size_t call, std::size_t calls,
                     const std::string& right, const std::string& why) {
  examination.verdict().trials.push_back({"calls", "own", "own", false});
  return examination.End(VerdictStatus::kWrong, kLaterCall,
                         "call " + std::to_string(call + 1) + " of " + std::to_string(calls) +
                             " fails, and " + right + " are right" +
                             (why.empty() ? "" : ": " + why));
}

// Runs the first calls alone: a run that ends early gives no results. A candidate that is wrong in
// them is not made for these sizes, and may access memory out of bounds there in any call.
Result<bool> FirstCallsAreRight(Examination& examination, const ReferenceRun& reference,
                                std::vector<AskedTrial> asked) {
  asked.resize(kFirstCalls);
  KM_ASSIGN(const CandidateRun run,
            examination.RunAndBuild(examination.Request(), asked, reference));
  return !run.fault &&
         std::none_of(run.trials.begin(), run.trials.end(), [&](const CandidateTrial& trial) {
           return CompareTrial(examination.policy(), reference, trial).has_value();
         });
}

}  // namespace

Result<GateResult> JudgeManyCalls(Examination& examination) {
  if (!examination.policy().generality) return GateResult::kPassed;
  KM_ASSIGN(const ReferenceRun* const reference, examination.reference_runs->ManyCalls());
  if (reference == nullptr) return GateResult::kPassed;
  const std::vector<AskedTrial> asked = TrialsWhere(*reference, true);
  CandidateRequest request = examination.Request();
  // Run() raises the limits with the number of trials.
  request.limits = LimitsOfAll(request.limits, asked.size(), kTimes);
  KM_ASSIGN(const CandidateRun run, examination.RunAndBuild(std::move(request), asked, *reference));
  if (run.fault) {
    const CandidateFault& fault = *run.fault;
    if (fault.status == VerdictStatus::kIllegal) return examination.EndWith(fault);
    if (fault.trial < kFirstCalls || !IsAboutCandidate(fault.status)) return GateResult::kPassed;
    KM_ASSIGN(const bool right, FirstCallsAreRight(examination, *reference, asked));
    if (!right) return GateResult::kPassed;
    if (fault.finding) examination.verdict().findings.push_back(*fault.finding);
    return EndAtCall(examination, fault.trial, asked.size(), "the first calls", fault.detail);
  }
  for (std::size_t call = 0; call < run.trials.size(); ++call) {
    const CandidateTrial& trial = run.trials[call];
    const std::optional<TrialFault> fault = CompareTrial(examination.policy(), *reference, trial);
    if (fault && call < kFirstCalls) return GateResult::kPassed;
    if (!fault && examination.JudgeOperators(trial) == GateResult::kPassed) continue;
    if (!fault) return GateResult::kEnded;
    examination.verdict().diagnosis = fault->diagnosis;
    return EndAtCall(examination, call, asked.size(), "all calls before", fault->detail);
  }
  examination.verdict().trials.push_back({"calls", "own", "own", true});
  return GateResult::kPassed;
}

}  // namespace kernelmill
