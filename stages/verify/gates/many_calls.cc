#include "stages/verify/gates/many_calls.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stages/verify/numerics/trial_comparison.h"

namespace kernelmill {
namespace {

// A candidate that is right in this many calls can compute the task at these sizes.
constexpr std::size_t kFirstCalls = 3;
// Scheduler steps of all calls, which take a few seconds of processor time. Kernels with so many
// barriers or shuffles that all calls would take more are called less often.
constexpr std::int64_t kStepsOfAll = 50'000'000;
// Bytes of all inputs and results, which are compared after the last call.
constexpr std::size_t kBytesOfAll = std::size_t{256} << 20;
// How often it is called with each of the task's own inputs, at its own sizes.
constexpr std::size_t kRounds = 40;
// Processor time of the first calls and of all calls, for what no step counts.
constexpr std::int64_t kFirstCpuMs = 3'000;
constexpr std::int64_t kCpuMs = 8'000;
// One of so many calls has the inputs of the call before it, as on a device
// (AskedTrial::as_device). What a kernel does there may depend on chance, so that one such call is
// too few.
constexpr std::size_t kEachAsDevice = 10;
// The kind of a finding that decides nothing.
constexpr char kFewerCalls[] = "fewer_calls";

// Runs these calls within so much processor time in all.
Result<CandidateRun> RunCalls(Examination& examination, const ReferenceRun& reference,
                              std::vector<AskedTrial> asked, std::int64_t cpu_ms) {
  CandidateRequest request = examination.Request();
  request.limits.cpu_ms = std::min(request.limits.cpu_ms, cpu_ms);
  request.limits = LimitsOfAll(request.limits, asked.size());
  return examination.RunAndBuild(std::move(request), std::move(asked), reference);
}

// How many of the calls cost no more steps and bytes of tensors than all may, judged by the most
// costly of the first.
std::size_t CallsWithin(const CandidateRun& first, std::size_t calls) {
  std::int64_t most = 1;
  std::size_t most_bytes = 1;
  for (const CandidateTrial& trial : first.trials) {
    most = std::max(most, trial.steps);
    std::size_t bytes = 0;
    for (const TensorValues& output : trial.outputs) bytes += output.bytes().size();
    // Each call's inputs come back, too.
    for (const TensorValues& input : trial.inputs) bytes += input.bytes().size();
    most_bytes = std::max(most_bytes, bytes);
  }
  const auto fitting =
      std::min(static_cast<std::size_t>(kStepsOfAll / most), kBytesOfAll / most_bytes);
  return std::clamp(fitting, std::min(kFirstCalls, calls), calls);
}

GateResult EndAtCall(Examination& examination, std::size_t call, std::size_t calls,
                     const std::string& right, const std::string& why) {
  examination.verdict().trials.push_back({"calls", "own", "own", false});
  return examination.End(VerdictStatus::kWrong, kLaterCall,
                         "call " + std::to_string(call + 1) + " of " + std::to_string(calls) +
                             " fails, and " + right + " are right" +
                             (why.empty() ? "" : ": " + why));
}

GateResult PassAfter(Examination& examination, std::size_t calls, std::size_t of) {
  Verdict& verdict = examination.verdict();
  verdict.trials.push_back({"calls", "own", "own", true});
  if (calls < of) {
    verdict.findings.push_back({kFewerCalls, "", 0,
                                "it was called " + std::to_string(calls) + " times, not " +
                                    std::to_string(of) + ", because its calls are costly"});
  }
  return GateResult::kPassed;
}

// A fault of a run whose first calls are known to be right. Nothing if it fails in them now and
// then.
std::optional<GateResult> JudgeFault(Examination& examination, const CandidateFault& fault,
                                     std::size_t calls, std::size_t of) {
  if (fault.status == VerdictStatus::kIllegal) return examination.EndWith(fault);
  if (!IsAboutCandidate(fault.status)) return PassAfter(examination, kFirstCalls, of);
  if (fault.trial < kFirstCalls) return std::nullopt;
  if (fault.finding) examination.verdict().findings.push_back(*fault.finding);
  const std::string_view why = ExplainVerdictReason(fault.status, fault.reason);
  return EndAtCall(examination, fault.trial, calls, "the first calls",
                   fault.detail.empty() ? std::string(why) : fault.detail);
}

// Nothing if the candidate is not made for the sizes of these calls: it fails from the first one on.
Result<std::optional<GateResult>> JudgeCalls(Examination& examination,
                                             const ReferenceRun& reference,
                                             std::vector<AskedTrial> asked) {
  using Judged = std::optional<GateResult>;
  const std::size_t all = asked.size();
  for (std::size_t i = kFirstCalls; i < all; ++i) {
    if (i % kEachAsDevice != kFirstCalls) continue;
    asked[i] = {.trial_index = asked[i - 1].trial_index, .as_device = true};
  }
  std::vector<AskedTrial> first = asked;
  first.resize(std::min(kFirstCalls, all));
  KM_ASSIGN(const CandidateRun first_run,
            RunCalls(examination, reference, std::move(first), kFirstCpuMs));
  if (first_run.fault) {
    return first_run.fault->status == VerdictStatus::kIllegal
               ? Judged(examination.EndWith(*first_run.fault))
               : Judged();
  }
  for (const CandidateTrial& trial : first_run.trials) {
    if (CompareTrial(examination.policy(), reference, trial)) return Judged();
  }
  asked.resize(CallsWithin(first_run, all));
  // All calls of one process, so the first ones once more.
  KM_ASSIGN(const CandidateRun run, RunCalls(examination, reference, asked, kCpuMs));
  if (run.fault) return JudgeFault(examination, *run.fault, asked.size(), all);
  for (std::size_t call = 0; call < run.trials.size(); ++call) {
    const CandidateTrial& trial = run.trials[call];
    const std::optional<TrialFault> fault = CompareTrial(examination.policy(), reference, trial);
    if (fault && call < kFirstCalls) return Judged();
    if (!fault && examination.JudgeOperators(trial) == GateResult::kPassed) continue;
    if (!fault) return Judged(GateResult::kEnded);
    examination.verdict().diagnosis = fault->diagnosis;
    std::string detail = trial.asked.as_device ? AsDevice(fault->detail) : fault->detail;
    if (trial.disturbed > 0) {
      detail += (detail.empty() ? "" : "; ") + std::to_string(trial.disturbed) +
                " words of device memory, which it keeps and which change from call to call, were "
                "given other values before the call";
    }
    return Judged(EndAtCall(examination, call, asked.size(), "all calls before", detail));
  }
  return Judged(PassAfter(examination, asked.size(), all));
}

}  // namespace

Result<GateResult> JudgeManyCalls(Examination& examination) {
  if (!examination.policy().generality) return GateResult::kPassed;
  KM_ASSIGN(const ReferenceRun* const small, examination.reference_runs->ManyCalls());
  if (small != nullptr) {
    KM_ASSIGN(const std::optional<GateResult> judged,
              JudgeCalls(examination, *small, TrialsWhere(*small, true)));
    if (judged) return *judged;
  }
  const ReferenceRun& base = examination.reference_runs->base();
  const std::vector<AskedTrial> own = TrialsWhere(base, true);
  std::vector<AskedTrial> asked;
  for (std::size_t round = 0; round < kRounds; ++round) {
    asked.insert(asked.end(), own.begin(), own.end());
  }
  KM_ASSIGN(const std::optional<GateResult> judged,
            JudgeCalls(examination, base, std::move(asked)));
  return judged.value_or(GateResult::kPassed);
}

}  // namespace kernelmill
