// The gate "full_size": runs a candidate at the task's own sizes if it ran only at smaller ones so
// far. It also decides on candidates that have failed at smaller sizes than their contract asks for
// (DecideAtOwnSizes() in judge.cc).
#include <algorithm>
#include <optional>
#include <utility>

#include "stages/verify/gates/examination.h"
#include "stages/verify/gates/full_size_run.h"

namespace kernelmill {
namespace {

// The number of blocks is chosen so that each run takes a second. A kernel that does far more work
// than its reference gets no more time.
constexpr std::int64_t kFullSizeCpuMs = 10'000;

}  // namespace

Result<GateResult> RunAtFullSize(Examination& examination) {
  if (examination.reference_runs->runs_at_task_sizes()) return GateResult::kPassed;
  const auto run = [&](const Json::Object& options, const ReferenceRun& reference) {
    CandidateRequest request = examination.Request();
    request.sampled = true;
    request.limits.cpu_ms = std::min(request.limits.cpu_ms, kFullSizeCpuMs);
    for (const auto& [name, value] : options) request.executor_options[name] = value;
    return examination.RunAndBuild(std::move(request), {AskedTrial{}}, reference);
  };
  Verdict& verdict = examination.verdict();
  std::optional<std::int64_t> launches;
  if (!verdict.trials.empty()) {
    launches = 0;
    for (const VerdictLaunch& launch : verdict.launches) *launches += launch.count;
  }
  KM_ASSIGN(const FullSizeOutcome found, CompareAtFullSize(examination.options().seed, launches,
                                                           examination.reference_runs, run));
  verdict.full_size = found.seen;
  const bool checked = found.seen.state == "checked";
  if (checked) verdict.trials.push_back({"full", "own", "own", !found.fault.has_value()});
  if (!found.without_kernels.trials.empty() &&
      examination.JudgeOperators(found.without_kernels.trials.front()) == GateResult::kEnded) {
    return GateResult::kEnded;
  }
  verdict.diagnosis = found.diagnosis;
  if (found.fault) return examination.EndWith(*found.fault);
  // What is not checked here cannot be judged by single blocks of one launch, or the reference does
  // not run; VerdictFullSize::why_not says which. No run of the candidate is missing.
  return checked ? GateResult::kPassed : GateResult::kNotCompared;
}

}  // namespace kernelmill
