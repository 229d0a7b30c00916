// The gate "sanitize": runs a candidate again in instrumented builds, which report out-of-bounds
// accesses and data races, at two sets of sizes each, and some blocks of the first launch at the
// task's own sizes. The judge asks it for right candidates, and
// for wrong ones whose cause may be hidden (FindHiddenCause() in judge.cc). A candidate that passes
// it has run to its end with all checks that were asked for; one that cannot is undecided.
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "stages/verify/gates/block_sample.h"
#include "stages/verify/gates/examination.h"

namespace kernelmill {
namespace {

// The variant of OtherSizes() that feedback may name. Its odd sizes reveal accesses beyond the end
// of a tensor.
constexpr int kOddSizes = 0;
// Kinds of values (value_kinds.py) in which all elements take a way that few of the task's own
// take: all indices are equal, or all numbers are beyond its limits, on one side or the other.
constexpr std::string_view kRepeated = "repeated";
constexpr std::string_view kCrowded[] = {kRepeated, "huge", "zeros"};

// The blocks that run at the task's own sizes: at least four, with at most so many threads, and
// together with at most so many of the reference's operations. Four where inputs have no values.
constexpr std::int64_t kThreads = 32'768;
constexpr std::int64_t kOperations = 4'000'000;
constexpr std::int64_t kOwnSizeCpuMs = 20'000;

// Whether the fault is the candidate's. Time and memory may run out because of the instrumentation,
// and a candidate that has loaded without it may fail to load with it.
bool IsOfCandidate(const CandidateFault& fault) {
  return fault.status == VerdictStatus::kIllegal ||
         (fault.gate != GateId::kLoad && IsAboutCandidate(fault.status) && fault.finding &&
          fault.reason != "time_limit");
}

// Ends a candidate for a fault that only a run with checks has shown.
GateResult EndAtSanitize(Examination& examination, CandidateFault fault) {
  if (fault.gate == GateId::kCorrectness && fault.status != VerdictStatus::kIllegal) {
    fault.gate = GateId::kSanitize;
  }
  return examination.EndWith(fault);
}

// Runs one trial of the candidate in one build at one set of sizes. `unchecked`: set to the reason
// if the checks do not run to their end and nothing else is known by then.
Result<GateResult> RunAt(Examination& examination, const InstrumentedBuild& build,
                         const ReferenceRun& reference, std::string* unchecked,
                         const AskedTrial& asked = {}) {
  KM_ASSIGN(std::optional<CandidateRequest> request, examination.RequestWith(build));
  if (!request) {
    *unchecked = "its kernels do not compile with checks";
    return GateResult::kPassed;
  }
  KM_ASSIGN(const CandidateRun run,
            examination.RunAndBuild(*std::move(request), {asked}, reference, &build));
  if (run.fault) {
    if (IsOfCandidate(*run.fault)) return EndAtSanitize(examination, *run.fault);
    *unchecked = "its run with checks ended early: " + run.fault->reason;
    return GateResult::kPassed;
  }
  for (const CandidateTrial& trial : run.trials) {
    if (examination.JudgeFindings(trial.findings) == GateResult::kEnded) return GateResult::kEnded;
  }
  return GateResult::kPassed;
}

// Runs some blocks at the task's own sizes, if all other runs have smaller ones: a row may be longer
// than a buffer only there, a last vector incomplete, a loop longer than one round. Only those of the
// first launch: later ones may use what all of its blocks should have written. Where the reference
// does not run there, the inputs are zeros. A run that shows nothing is no loss.
Result<GateResult> RunAtOwnSizes(Examination& examination, const InstrumentedBuild& build) {
  if (examination.reference_runs->runs_at_task_sizes() || examination.verdict().launches.empty()) {
    return GateResult::kPassed;
  }
  KM_ASSIGN(const FullSizeReference* const full, examination.reference_runs->Full());
  const ReferenceRun* reference = full->run.get();
  const bool without_values = reference == nullptr;
  if (without_values) {
    KM_ASSIGN(reference, examination.reference_runs->FullShapes());
  }
  if (reference == nullptr) return GateResult::kPassed;
  KM_ASSIGN(std::optional<CandidateRequest> request, examination.RequestWith(build));
  if (!request) return GateResult::kPassed;
  request->sampled = true;
  request->unfilled = without_values;
  if (without_values) request->limits.memory_bytes = kOwnSizeMemory;
  request->limits.cpu_ms = std::min(request->limits.cpu_ms, kOwnSizeCpuMs);
  request->executor_options["sample"] =
      BlockSample{.threads = without_values ? 1 : kThreads,
                  .part = without_values ? 1 : full->flops / kOperations + 1,
                  .seed = examination.seed(),
                  .launches = 1}
          .ToJson();
  KM_ASSIGN(const CandidateRun run, examination.RunAndBuild(*std::move(request), {AskedTrial{}},
                                                            *reference, &build));
  if (run.fault) {
    using enum VerdictStatus;
    const bool access = run.fault->status == kOutOfBounds || run.fault->status == kRace ||
                        run.fault->status == kIllegal;
    if (!access) return GateResult::kPassed;
    CandidateFault fault = *run.fault;
    if (fault.status != kIllegal) fault.detail = full->sizes + ": " + fault.detail;
    return EndAtSanitize(examination, std::move(fault));
  }
  for (const CandidateTrial& trial : run.trials) {
    if (examination.JudgeFindings(trial.findings) != GateResult::kEnded) continue;
    examination.verdict().detail = full->sizes + ": " + examination.verdict().detail;
    return GateResult::kEnded;
  }
  return GateResult::kPassed;
}

// Two updates of one element race only if their indices are equal, or if both threads have
// something to add, which random values rarely say. Only where indices decide must the run come to
// its end.
Result<GateResult> RunCrowded(Examination& examination, const InstrumentedBuild& build,
                              std::string* unchecked) {
  ReferenceRuns& runs = *examination.reference_runs;
  KM_ASSIGN(const ReferenceRun* const special, runs.SpecialValues(/*at_base=*/true));
  std::string unused;
  for (const ReferenceRun* run : {&runs.base(), special}) {
    for (std::size_t i = 0; run != nullptr && i < run->trials.size(); ++i) {
      if (std::ranges::find(kCrowded, run->trials[i].values) == std::end(kCrowded)) continue;
      KM_ASSIGN(const GateResult result,
                RunAt(examination, build, *run,
                      run->trials[i].values == kRepeated ? unchecked : &unused, {i, "own"}));
      if (result == GateResult::kEnded) return result;
    }
  }
  return GateResult::kPassed;
}

Result<GateResult> RunOne(Examination& examination, const InstrumentedBuild& build,
                          std::string* unchecked) {
  // Without native code there is no access to check.
  if (!examination.libraries().built_any()) return GateResult::kPassed;
  KM_ASSIGN(const GateResult result,
            RunAt(examination, build, examination.reference_runs->base(), unchecked));
  if (result == GateResult::kEnded) return result;
  KM_ASSIGN(const GateResult own, RunAtOwnSizes(examination, build));
  if (own == GateResult::kEnded) return own;
  KM_ASSIGN(const GateResult equal, RunCrowded(examination, build, unchecked));
  if (equal == GateResult::kEnded) return equal;
  KM_ASSIGN(const ReferenceRun* const other, examination.reference_runs->Other(kOddSizes));
  if (other == nullptr) return GateResult::kPassed;
  if (examination.options().contract.any_shape) {
    return RunAt(examination, build, *other, unchecked);
  }
  // A finding at sizes that the contract does not ask for lowers the grade.
  Verdict& verdict = examination.verdict();
  if (verdict.generality.sizes != Grade::kAll) return GateResult::kPassed;
  const Verdict before = verdict;
  std::string ungraded;
  KM_ASSIGN(const GateResult there, RunAt(examination, build, *other, &ungraded));
  if (there == GateResult::kEnded && verdict.status == VerdictStatus::kIllegal) return there;
  verdict = before;
  if (!ungraded.empty()) verdict.generality.sizes = Grade::kNotTried;
  if (there == GateResult::kEnded) verdict.generality.sizes = Grade::kWrong;
  return GateResult::kPassed;
}

}  // namespace

Result<GateResult> RunSanitized(Examination& examination) {
  std::string unchecked;
  for (const InstrumentedBuild& build : examination.options().sanitizers) {
    KM_ASSIGN(const GateResult sanitized, RunOne(examination, build, &unchecked));
    if (sanitized == GateResult::kEnded) return sanitized;
  }
  if (unchecked.empty()) return GateResult::kPassed;
  return examination.End(VerdictStatus::kUndecided, kNotSanitized, unchecked);
}

}  // namespace kernelmill
