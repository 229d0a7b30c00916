// The gate "full_size": runs a candidate at the task's own sizes if it ran only at smaller ones so
// far: the whole of forward() where it fits JudgeOptions::own_size_cpu_ms, otherwise its host code
// and some blocks (full_size_run.h), and where these show nothing, forward() at sizes that are the
// task's own in part. A candidate of which nothing runs near these sizes is undecided. The gate also
// decides on candidates that have failed at smaller sizes than their contract asks for
// (JudgeAtOwnSizes() in judge.cc).
#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "manifests/json_fields.h"
#include "stages/verify/gates/block_sample.h"
#include "stages/verify/gates/examination.h"
#include "stages/verify/gates/full_size_run.h"
#include "stages/verify/legality/policy.h"
#include "stages/verify/numerics/tensor_values.h"
#include "stages/verify/numerics/trial_comparison.h"

namespace kernelmill {
namespace {

// The number of blocks is chosen so that each run takes a second. A kernel that does far more work
// than its reference gets no more time.
constexpr std::int64_t kFullSizeCpuMs = 10'000;
constexpr std::int64_t kPartlyOwnCpuMs = 20'000;
// A forward() that takes so many times as long as expected is stopped.
constexpr std::int64_t kOverrun = 3;
// The threads that run where inputs have no values: enough for some dozen blocks.
constexpr std::int64_t kThreadsWithoutValues = 16'384;
// The byte that memory holds which no block has written: a large number in every format.
constexpr std::uint8_t kFill = 0x5B;

// Whether an end shows nothing at these sizes: a limit of ours, or a feature that is missing.
bool ShowsNothing(const CandidateFault& fault) {
  return !IsAboutCandidate(fault.status) || fault.reason == "memory_limit" ||
         fault.reason == "output_limit" || fault.reason == "killed" ||
         fault.status == VerdictStatus::kTimedOut;
}

// Whether the candidate says aloud that it is not made for these sizes.
bool IsRefusal(const CandidateFault& fault) {
  return (fault.status == VerdictStatus::kCrashed && fault.reason == "raised") ||
         fault.status == VerdictStatus::kNotLoaded || fault.status == VerdictStatus::kNotBuilt;
}

GateResult EndAt(Examination& examination, CandidateFault fault, const std::string& where) {
  if (fault.status != VerdictStatus::kIllegal) fault.detail = where + ": " + fault.detail;
  return examination.EndWith(fault);
}

GateResult EndWrong(Examination& examination, const TrialFault& fault, const std::string& where) {
  examination.verdict().diagnosis = fault.diagnosis;
  return examination.End(VerdictStatus::kWrong, "full_size",
                         where + (fault.detail.empty() ? "" : ", " + fault.detail));
}

// Runs the whole of forward(). kNotCompared if it does not run to its end.
Result<GateResult> RunWhole(Examination& examination, const FullSizeReference& full) {
  CandidateRequest request = examination.Request();
  request.limits.memory_bytes = kOwnSizeMemory;
  request.sampled = full.in_part;  // Without the inputs, which would be copied back.
  request.limits.cpu_ms =
      std::min(request.limits.cpu_ms,
               (full.fits ? kOverrun : 1) * examination.options().own_size_cpu_ms);
  std::vector<AskedTrial> asked;
  for (std::size_t i = 0; i < full.run->trials.size(); ++i) asked.push_back({i, "own"});
  // A second call finds what the first has left in workspaces.
  if (full.fits_twice && asked.size() == 1) asked.push_back(asked.front());
  KM_ASSIGN(const CandidateRun run,
            examination.RunAndBuild(std::move(request), asked, *full.run));
  if (run.fault) {
    if (ShowsNothing(*run.fault)) return GateResult::kNotCompared;
    return EndAt(examination, *run.fault, full.sizes);
  }
  VerifyPolicy policy = examination.policy();
  policy.tolerance = full.tolerance;
  Verdict& verdict = examination.verdict();
  verdict.full_size.state = "whole";
  for (const CandidateTrial& trial : run.trials) {
    if (examination.JudgeOperators(trial) == GateResult::kEnded) return GateResult::kEnded;
    const std::optional<TrialFault> fault = CompareTrial(policy, *full.run, trial, full.in_part);
    const std::string& values = full.run->trials[trial.asked.trial_index].values;
    verdict.trials.push_back({"full", values, "own", !fault.has_value()});
    if (fault) {
      return EndWrong(examination, *fault,
                      full.sizes + (values == "own" ? "" : ", for inputs of the kind: " + values));
    }
  }
  return GateResult::kPassed;
}

// Runs the host code, and some blocks of a single launch.
Result<GateResult> RunBlocks(Examination& examination, const FullSizeReference& full) {
  const auto run = [&](const Json::Object& options, const ReferenceRun& reference) {
    CandidateRequest request = examination.Request();
    request.sampled = true;
    request.limits.memory_bytes = kOwnSizeMemory;
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
  KM_ASSIGN(const FullSizeOutcome found,
            CompareAtFullSize(examination.seed(), launches, examination.reads_results(), full,
                              run));
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

// Runs some blocks of each launch, the first and the last among them, where all inputs are zeros.
// What they compute says nothing, but they must not leave the memory that is there: an index may be
// too large for its type, or a workspace too small. Where there are several launches, a block of a
// later one may use an index that an earlier one should have written; but such an index, which is
// zero, leads nowhere far away.
Result<GateResult> RunBlocksWithoutValues(Examination& examination, const ReferenceRun& shapes,
                                          const CandidateTrial& without_kernels,
                                          const std::string& sizes) {
  const auto run = [&](Json::Array filled, std::uint8_t fill, bool touched_pages) {
    CandidateRequest request = examination.Request();
    request.unfilled = true;
    request.sampled = true;
    request.limits.memory_bytes = kOwnSizeMemory;
    request.limits.cpu_ms = std::min(request.limits.cpu_ms, kFullSizeCpuMs);
    request.executor_options["sample"] = BlockSample{.threads = kThreadsWithoutValues,
                                                     .seed = examination.seed(),
                                                     .fill = fill,
                                                     .filled = std::move(filled),
                                                     .touched_pages = touched_pages}
                                             .ToJson();
    return examination.RunAndBuild(std::move(request), {AskedTrial{}}, shapes);
  };
  KM_ASSIGN(const CandidateRun seen, run({}, 0, false));
  if (seen.fault) {
    const std::vector<VerdictLaunch>& launches = examination.verdict().launches;
    const bool single = launches.size() == 1 && launches.front().count == 1;
    const bool first = seen.fault->launches <= 1;
    const bool shows = seen.fault->status == VerdictStatus::kIllegalAddress &&
                       (single || first || seen.fault->reason == "far_pointer");
    return shows ? EndAt(examination, *seen.fault, sizes) : GateResult::kNotCompared;
  }

  // A grid with a limit, without a loop over the rest, leaves elements as they were. Whether anything
  // else has written these is not known, so that this is no proof that the candidate is wrong.
  if (!without_kernels.sampled) return GateResult::kNotCompared;
  const std::vector<std::int64_t>& allocations = without_kernels.sampled->allocations;
  if (allocations.size() != without_kernels.output_shapes.size()) return GateResult::kNotCompared;
  Json::Array filled;
  std::int64_t size = 0;
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    const TensorShape& output = without_kernels.output_shapes[i];
    if (allocations[i] < 0) return GateResult::kNotCompared;
    filled.push_back(ToJson(std::vector<std::int64_t>{allocations[i], BytesOfElement(output.dtype)}));
    size += std::accumulate(output.shape.begin(), output.shape.end(), std::int64_t{1},
                            std::multiplies<>());
  }
  KM_ASSIGN(const CandidateRun written, run(std::move(filled), kFill, true));
  if (written.fault || !written.trials.front().sampled) return GateResult::kNotCompared;
  const SampledLaunches& sampled = *written.trials.front().sampled;
  const bool same = sampled.blocks == without_kernels.sampled->blocks &&
                    sampled.allocations == allocations;
  if (!same || !std::ranges::all_of(sampled.operators, IsViewOperator)) {
    return GateResult::kNotCompared;
  }
  if (sampled.left_pages > 0) {
    return examination.End(
        VerdictStatus::kUndecided, kOwnSizes,
        sizes +
            ": a launch reads what an earlier one writes to scratch memory, from its beginning "
            "on, but " +
            std::to_string(sampled.left_pages) +
            " pages behind that, which the earlier one touches too, are read by none: its grid or "
            "its loop may be too small for these sizes");
  }
  if (sampled.most_items >= size) return GateResult::kNotCompared;
  return examination.End(
      VerdictStatus::kUndecided, kOwnSizes,
      sizes + ": as far as the blocks that ran show, all " + std::to_string(sampled.blocks) +
          " blocks write at most " + std::to_string(sampled.most_items) + " of " +
          std::to_string(size) + " elements: the grid may be too small for these sizes");
}

// Runs the host code where the inputs' values fit no memory: only faults, and the shapes and dtypes
// of its outputs, show anything there. `failed_before`: at smaller sizes.
Result<GateResult> RunHostCode(Examination& examination, const FullSizeReference& full,
                               bool failed_before) {
  // Without launches there is nothing that a device could refuse, and torch does all the work.
  if (examination.reads_results() ||
      (!failed_before && examination.verdict().launches.empty())) {
    return GateResult::kNotCompared;
  }
  KM_ASSIGN(const ReferenceRun* const shapes, examination.reference_runs->FullShapes());
  if (shapes == nullptr) return GateResult::kNotCompared;
  CandidateRequest request = examination.Request();
  request.unfilled = true;
  request.sampled = true;
  request.limits.memory_bytes = kOwnSizeMemory;
  request.executor_options["run_kernels"] = false;
  request.limits.cpu_ms = std::min(request.limits.cpu_ms, kFullSizeCpuMs);
  KM_ASSIGN(const CandidateRun run,
            examination.RunAndBuild(std::move(request), {AskedTrial{}}, *shapes));
  if (!run.fault) {
    const CandidateTrial& trial = run.trials.front();
    const std::vector<TensorShape>& expected = shapes->trials.front().output_shapes;
    // Where host code has read results, their shapes may depend on them.
    if (expected.empty() || trial.host_bytes > 0) return GateResult::kNotCompared;
    const std::optional<TrialFault> fault = CompareShapes(expected, trial.output_shapes);
    if (!fault) return RunBlocksWithoutValues(examination, *shapes, trial, full.sizes);
    return examination.End(VerdictStatus::kWrong, fault->reason, full.sizes + ", " + fault->detail);
  }
  if (ShowsNothing(*run.fault)) return GateResult::kNotCompared;
  // After a launch that computed nothing, host code may raise for what it finds.
  if (run.fault->reason == "raised" && run.fault->launches > 0) return GateResult::kNotCompared;
  return EndAt(examination, *run.fault, full.sizes);
}

// Whether the candidate is right where the sizes that are the task's own in `part` are small, and
// all others as there: then it is these sizes at which it fails, and not the others, which a
// contract of fixed shapes does not ask for.
Result<bool> IsRightAtSmall(Examination& examination, const PartlyOwnReference& part) {
  KM_ASSIGN(const ReferenceRun* const small, examination.reference_runs->At(part.small));
  if (small == nullptr) return false;
  KM_ASSIGN(const CandidateRun run,
            examination.RunAndBuild(examination.Request(), {AskedTrial{}}, *small));
  return !run.fault && !CompareTrial(examination.policy(), *small, run.trials.front());
}

// Runs forward() at sizes that are the task's own in part.
Result<GateResult> RunPartlyOwn(Examination& examination) {
  KM_ASSIGN(const std::vector<PartlyOwnReference>* const list,
            examination.reference_runs->PartlyOwn());
  Verdict& verdict = examination.verdict();
  const bool asked = examination.options().contract.any_shape;
  for (const PartlyOwnReference& part : *list) {
    CandidateRequest request = examination.Request();
    request.limits.cpu_ms = std::min(request.limits.cpu_ms, kPartlyOwnCpuMs);
    KM_ASSIGN(const CandidateRun run,
              examination.RunAndBuild(std::move(request), {AskedTrial{}}, *part.run));
    std::optional<TrialFault> fault;
    if (run.fault) {
      if (run.fault->status == VerdictStatus::kIllegal) return examination.EndWith(*run.fault);
      if (ShowsNothing(*run.fault) || (!asked && IsRefusal(*run.fault))) continue;
    } else {
      const CandidateTrial& trial = run.trials.front();
      if (examination.JudgeOperators(trial) == GateResult::kEnded) return GateResult::kEnded;
      fault = CompareTrial(examination.policy(), *part.run, trial);
    }
    const bool right = !run.fault && !fault;
    if (!right && !asked) {
      KM_ASSIGN(const bool right_at_small, IsRightAtSmall(examination, part));
      if (!right_at_small) continue;
    }
    verdict.trials.push_back({part.run->shapes, "own", "own", right});
    if (run.fault) return EndAt(examination, *run.fault, part.sizes);
    if (fault) return EndWrong(examination, *fault, part.sizes);
    if (verdict.full_size.state == "not_checked") verdict.full_size.state = part.run->shapes;
  }
  return GateResult::kNotCompared;
}

}  // namespace

Result<GateResult> RunAtFullSize(Examination& examination) {
  ReferenceRuns& reference = *examination.reference_runs;
  if (reference.runs_at_task_sizes()) return GateResult::kPassed;
  const bool failed_before = IsAboutCandidate(examination.verdict().status);
  KM_ASSIGN(const FullSizeReference* const full, reference.Full(failed_before));
  if (full->run != nullptr && full->fits) {
    KM_ASSIGN(const GateResult whole, RunWhole(examination, *full));
    if (whole != GateResult::kNotCompared) return whole;
  }
  KM_ASSIGN(const GateResult blocks, RunBlocks(examination, *full));
  const bool ended = blocks == GateResult::kEnded;
  if (ended && (!failed_before || IsAboutCandidate(examination.verdict().status))) return blocks;
  // Where the reference runs there, but only single blocks of one launch can be compared with it.
  const bool other = full->run == nullptr || !failed_before;
  if (!ended && other && examination.verdict().full_size.state == "not_checked") {
    KM_ASSIGN(const GateResult host, RunHostCode(examination, *full, failed_before));
    if (host == GateResult::kEnded) return host;
  }
  // Blocks alone do not show that a candidate is right that fails at smaller sizes. Torch may do
  // most of its work, which takes less time than expected.
  if (failed_before && full->run != nullptr && !full->fits &&
      examination.options().own_size_cpu_ms > 0) {
    KM_ASSIGN(const GateResult whole, RunWhole(examination, *full));
    if (whole != GateResult::kNotCompared) return whole;
  }
  if (blocks != GateResult::kNotCompared || failed_before) return blocks;
  KM_ASSIGN(const bool batch, reference.BaseIsBatch());
  if (batch) examination.verdict().full_size.state = "batch";
  KM_ASSIGN(const GateResult partly_own, RunPartlyOwn(examination));
  if (partly_own == GateResult::kEnded) return partly_own;
  const VerdictFullSize& seen = examination.verdict().full_size;
  // A kernel with a limit between the sizes that ran and the task's own would pass too.
  if (seen.state != "not_checked" || examination.options().contract.any_shape ||
      examination.options().own_size_cpu_ms == 0) {
    return partly_own;
  }
  return examination.End(VerdictStatus::kUndecided, kOwnSizes,
                         "no run is near the task's own sizes: " + seen.why_not);
}

}  // namespace kernelmill
