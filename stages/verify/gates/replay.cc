// The gate "replay": what one call of forward() does to device memory must give the right result for
// other inputs too, without the candidate's host code
// (stages/cuda_executor/runtime/replay/replay.h). If it does not, host code has computed values, or
// given those of an earlier call: the recorded call has the inputs of the call before it. The
// result must also be right in other orders that the streams allow.
#include <set>
#include <string>
#include <utility>

#include "stages/verify/gates/examination.h"
#include "stages/verify/numerics/trial_comparison.h"

namespace kernelmill {

namespace {

constexpr std::size_t kCallsForState = 5;
// AskedTrial::changed_at: a result may be kept in any launch, and in any block of it.
constexpr std::int64_t kChangedAt[] = {23, 47, 71, 92};

GateResult EndEarly(Examination& examination, const CandidateFault& fault) {
  if (fault.status == VerdictStatus::kIllegal) return examination.EndWith(fault);
  return examination.End(VerdictStatus::kUndecided, kNotCompared,
                         "its launches, run again with other inputs, end early (" + fault.reason +
                             "): " + fault.detail);
}

// Whether host code sends to the device what it has computed of the few values that it may read.
// `asked` ends with a recorded call; one more has the inputs that this one runs again with.
Result<GateResult> JudgeSent(Examination& examination, std::vector<AskedTrial> asked) {
  const ReferenceRun& base = examination.reference_runs->base();
  const AskedTrial last = asked.back();
  asked.push_back({*last.recorded_with, "own", last.trial_index});
  KM_ASSIGN(const CandidateRun run,
            examination.RunAndBuild(examination.Request(), std::move(asked), base));
  if (run.fault) return EndEarly(examination, *run.fault);
  const CandidateTrial& trial = run.trials.back();
  if (trial.sent_otherwise <= examination.MostHostBytes()) return GateResult::kPassed;
  return examination.EndIllegal(
      "host_values", "its host code reads values of the device, and with other inputs " +
                         std::to_string(trial.sent_otherwise) +
                         " of the bytes that it sends to the device are others, where " +
                         std::to_string(examination.MostHostBytes()) +
                         " may be: host code decides values of the result");
}

// Whether variables go on changing in calls with equal inputs. A call that changes nothing, or
// undoes what the call before it has changed, does not count.
Result<GateResult> JudgeState(Examination& examination) {
  const AskedTrial same{0, "own", std::nullopt, true};
  KM_ASSIGN(const CandidateRun run,
            examination.RunAndBuild(examination.Request(), std::vector(kCallsForState, same),
                                    examination.reference_runs->base()));
  if (run.fault) return EndEarly(examination, *run.fault);
  std::set<std::string> states;
  for (std::size_t i = 1; i < run.trials.size(); ++i) states.insert(run.trials[i].state);
  if (states.size() + 1 < run.trials.size()) return GateResult::kPassed;
  return examination.EndIllegal("fallback",
                                "variables of its extension have other values after each of " +
                                    std::to_string(run.trials.size()) +
                                    " calls with equal inputs: they tell how often it was called");
}

// Whether a call takes what an earlier one has kept, if forward() is called twice and the inputs
// change within the first call: what that keeps for the new inputs is a wrong result. `asked` ends
// with a recorded call.
Result<GateResult> JudgeKept(Examination& examination, std::vector<AskedTrial> asked) {
  const ReferenceRun& base = examination.reference_runs->base();
  for (const std::int64_t changed_at : kChangedAt) {
    asked.back().changed_at = changed_at;
    KM_ASSIGN(const CandidateRun run, examination.RunAndBuild(examination.Request(), asked, base));
    // Inputs that do not fit together may lead a kernel anywhere.
    if (run.fault || !run.trials.back().not_replayed.empty()) continue;
    if (!CompareTrial(examination.policy(), base, run.trials.back())) continue;
    return examination.EndIllegal(
        "fallback",
        "memory of the device keeps results for inputs that come again: when the inputs change "
        "while "
        "a call computes with them, the next call takes what that call has kept");
  }
  return GateResult::kPassed;
}

// Whether its launches give the result in other orders that its streams and events allow, too, if
// forward() is called twice. `asked` ends with a recorded call.
Result<GateResult> JudgeOrders(Examination& examination, std::vector<AskedTrial> asked) {
  const ReferenceRun& base = examination.reference_runs->base();
  const std::pair<const char*, const char*> orders[] = {
      {"default_first",
       "the default stream's work runs as early as its streams, events and waits allow"},
      {"default_last",
       "the default stream's work runs as late as its streams, events and waits allow"},
      {"in_turns", "its streams run in turns, one step of each, as its events and waits allow"},
      {"in_turns_last",
       "its streams run in turns and end together, as far as its events and waits allow"},
      {"awaited", "what its caller's stream has not waited for runs after the results are read"}};
  for (const auto& [order, meaning] : orders) {
    asked.back().order = order;
    KM_ASSIGN(const CandidateRun run,
              examination.RunAndBuild(examination.Request(), asked, base));
    if (run.fault && run.fault->status == VerdictStatus::kIllegal) {
      return examination.EndWith(*run.fault);
    }
    if (!run.fault && !run.trials.back().not_replayed.empty()) continue;  // Too large twice.
    const std::optional<TrialFault> fault =
        run.fault ? TrialFault{run.fault->reason, run.fault->detail, {}}
                  : CompareTrial(examination.policy(), base, run.trials.back());
    if (!fault) continue;
    return examination.End(
        VerdictStatus::kRace, "streams",
        "nothing orders work on two of its streams: when " + std::string(meaning) +
            ", the result is wrong (" + fault->reason + ")");
  }
  return GateResult::kPassed;
}

}  // namespace

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
  const AskedTrial first{0, "own", std::nullopt, true}, replayed{1, "own", 0, true};
  KM_ASSIGN(const CandidateRun run,
            examination.RunAndBuild(examination.Request(), {first, replayed}, base));
  if (run.fault) return EndEarly(examination, *run.fault);
  for (const CandidateTrial& trial : run.trials) {
    if (examination.JudgeOperators(trial) == GateResult::kEnded) return GateResult::kEnded;
    if (examination.JudgeFindings(trial.findings) == GateResult::kEnded) return GateResult::kEnded;
  }
  if (run.trials.front().state != run.trials.back().state) {
    KM_ASSIGN(const GateResult judged, JudgeState(examination));
    if (judged == GateResult::kEnded) return judged;
  }
  const CandidateTrial& trial = run.trials.back();
  if (trial.refused || !trial.not_replayed.empty()) {
    return examination.End(VerdictStatus::kUndecided, kNotCompared,
                           "its launches did not run again with other inputs: " +
                               trial.not_replayed);
  }
  if (trial.same_replayed) {
    KM_ASSIGN(const GateResult judged, JudgeSent(examination, {first, replayed}));
    if (judged == GateResult::kEnded) return judged;
  }
  if (!CompareTrial(examination.policy(), base, trial)) {
    if (trial.other_orders) {
      KM_ASSIGN(const GateResult judged, JudgeOrders(examination, {first, replayed}));
      if (judged == GateResult::kEnded) return judged;
    }
    // Where the reference keeps something, an answer has to keep it, too.
    if (!trial.keeps || trial.same_replayed || !base.module_buffers.empty()) {
      return GateResult::kPassed;
    }
    return JudgeKept(examination, {first, replayed});
  }
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
