#include "stages/verify/gates/full_size_run.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "manifests/json_fields.h"
#include "manifests/split_mix.h"
#include "stages/verify/gates/block_sample.h"
#include "stages/verify/numerics/comparison.h"
#include "stages/verify/numerics/trial_comparison.h"

namespace kernelmill {
namespace {

// The fill bytes: NaN in every floating-point format, and large numbers.
constexpr unsigned char kFills[] = {0xFF, 0x5B};
// The budget of one launch: threads, operations as counted for the reference, and scheduler steps.
constexpr std::int64_t kThreads = 4'000'000;
constexpr std::int64_t kOperations = 100'000'000;
constexpr std::int64_t kSteps = 100'000'000;
// The number of elements that are sampled to estimate which share of an output must be written.
constexpr std::uint64_t kSampledElements = 65'536;
constexpr std::int64_t kFewestBlocksForCover = 16;
constexpr std::int64_t kFewestEqualBlocks = 64;
// One wrong element in this many is tolerated in outputs of integers.
constexpr std::int64_t kToleratedOneIn = 1'000;

std::string Number(std::int64_t value) { return std::to_string(value); }

bool IsFilled(std::string_view bytes, unsigned char fill) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [fill](char byte) { return static_cast<unsigned char>(byte) == fill; });
}

std::size_t ItemBytes(const TensorValues& tensor) {
  return tensor.size() == 0 ? 1 : tensor.bytes().size() / static_cast<std::size_t>(tensor.size());
}

// Pseudo-random elements of a tensor with `size` elements, ascending and without repetition.
std::vector<std::int64_t> SpreadElements(std::int64_t size) {
  std::vector<std::int64_t> elements;
  std::uint64_t state = 0;
  for (std::uint64_t i = 0; size > 0 && i < kSampledElements; ++i) {
    elements.push_back(
        static_cast<std::int64_t>(NextMixedBits(&state) % static_cast<std::uint64_t>(size)));
  }
  std::sort(elements.begin(), elements.end());
  return elements;
}

// What two runs with different fill bytes show about one output.
struct Written {
  bool independent_of_fill = true;     // No written value depends on the fill byte.
  std::vector<std::int64_t> elements;  // The elements that were written.
};

Written WrittenIn(const TensorValues& first, const TensorValues& second) {
  Written written;
  const std::size_t item = ItemBytes(first);
  for (std::int64_t i = 0; i < first.size(); ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * item;
    const std::string_view one = first.bytes().substr(at, item);
    const std::string_view other = second.bytes().substr(at, item);
    if (one == other) {
      written.elements.push_back(i);
    } else if (!IsFilled(one, kFills[0]) || !IsFilled(other, kFills[1])) {
      written.independent_of_fill = false;
      break;
    }
  }
  return written;
}

// The bytes of `before` with `elements` taken from `written`.
std::string Merged(const TensorValues& written, const std::vector<std::int64_t>& elements,
                   const TensorValues& before) {
  std::string bytes(before.bytes());
  const std::size_t item = ItemBytes(before);
  for (const std::int64_t i : elements) {
    const std::size_t at = static_cast<std::size_t>(i) * item;
    std::memcpy(bytes.data() + at, written.bytes().data() + at, item);
  }
  return bytes;
}

class FullSizeComparison {
 public:
  FullSizeComparison(std::uint64_t seed, std::optional<std::int64_t> launches, bool reads_results,
                     const FullSizeReference& full)
      : seed_(seed),
        launches_(launches),
        reads_results_(reads_results),
        full_(full),
        expected_(full.run->trials.front()) {}

  Result<FullSizeOutcome> Take(const FullSizeRunner& run) {
    KM_ASSIGN(outcome_.without_kernels, run({{"run_kernels", false}}, *full_.run));
    if (!TakeRunWithoutKernels()) return std::move(outcome_);
    for (std::size_t i = 0; i < std::size(kFills); ++i) {
      KM_ASSIGN(sampled_[i], run(OptionsWith(kFills[i]), *full_.run));
      if (!TakeSampled(sampled_[i])) return std::move(outcome_);
    }
    Compare();
    return std::move(outcome_);
  }

 private:
  // Precision was judged at smaller sizes, but by a protocol that has one tolerance for all sizes.
  ToleranceRule Tolerance() const {
    return IsAllClose(full_.tolerance) ? full_.tolerance : ToleranceRule::kLongSums;
  }

  bool NotChecked(std::string why) {
    outcome_.seen.why_not = std::move(why);
    return false;
  }

  bool End(VerdictStatus status, const std::string& reason, const std::string& detail) {
    outcome_.fault = CandidateFault{
        status, reason, GateId::kFullSize, full_.sizes + ", " + detail, std::nullopt, 0};
    return false;
  }

  // Ends the comparison where a run that was needed for it showed nothing.
  bool NotCompared(const std::string& why) {
    NotChecked(why);
    return End(VerdictStatus::kUndecided, std::string(kNotCompared), why);
  }

  // Ends the comparison after a fault. Faults that may follow from running only some blocks do not
  // show that the candidate is wrong.
  bool EndEarly(const CandidateFault& fault) {
    const bool raised = fault.status == VerdictStatus::kCrashed && fault.reason == "raised";
    const bool limit = fault.reason == "memory_limit" || fault.reason == "output_limit" ||
                       fault.reason == "killed" || fault.status == VerdictStatus::kTimedOut;
    if (limit || (raised && fault.launches > 0) || !IsAboutCandidate(fault.status)) {
      const std::string_view why = ExplainVerdictReason(fault.status, fault.reason);
      return NotCompared(why.empty() ? "its run ended: " + fault.reason : std::string(why));
    }
    outcome_.fault = fault;
    outcome_.fault->detail = full_.sizes + ": " + fault.detail;
    return false;
  }

  bool TakeRunWithoutKernels() {
    const bool sampled = launches_.value_or(1) == 1;
    if (outcome_.without_kernels.fault) {
      if (reads_results_) return NotChecked("its host code reads results of its kernels");
      // Without blocks to compare, an end that shows nothing leaves nothing out.
      if (EndEarly(*outcome_.without_kernels.fault) || sampled ||
          outcome_.fault->status != VerdictStatus::kUndecided) {
        return false;
      }
      outcome_.fault.reset();
      return false;
    }
    const CandidateTrial& trial = outcome_.without_kernels.trials.front();
    if ((sampled || !reads_results_) && !HasShapes(trial)) return false;
    if (!sampled) return NotChecked("forward() launches " + Number(*launches_) + " kernels");
    if (!trial.sampled || trial.sampled->launches != 1) {
      return NotChecked("there it does not launch one kernel");
    }
    const std::vector<std::int64_t>& allocations = trial.sampled->allocations;
    if (std::any_of(allocations.begin(), allocations.end(), [](auto at) { return at < 0; })) {
      return NotChecked("its output lies in memory that was there before forward()");
    }
    return true;
  }

  bool HasShapes(const CandidateTrial& trial) {
    const std::vector<std::int64_t> none;
    if (trial.outputs.size() != expected_.outputs.size()) {
      return End(VerdictStatus::kWrong, "full_size", "it returns another number of tensors");
    }
    for (std::size_t i = 0; i < trial.outputs.size(); ++i) {
      const OutputComparison compared = CompareOutputs(
          {.values = expected_.outputs[i]}, trial.outputs[i], ToleranceRule::kLongSums, &none);
      if (compared.fault == OutputFault::kNone) continue;
      return End(VerdictStatus::kWrong, "full_size", "its output has another shape or dtype");
    }
    return true;
  }

  Json::Object OptionsWith(unsigned char fill) const {
    const CandidateTrial& without_kernels = outcome_.without_kernels.trials.front();
    Json::Array filled;
    for (std::size_t i = 0; i < without_kernels.outputs.size(); ++i) {
      const auto item = static_cast<std::int64_t>(ItemBytes(without_kernels.outputs[i]));
      filled.push_back(
          ToJson(std::vector<std::int64_t>{without_kernels.sampled->allocations[i], item}));
    }
    const BlockSample sample{.threads = kThreads,
                             .part = full_.flops / kOperations + 1,
                             .seed = seed_,
                             .fill = fill,
                             .filled = std::move(filled)};
    return {{"step_budget", kSteps}, {"sample", sample.ToJson()}};
  }

  bool TakeSampled(const CandidateRun& run) {
    if (run.fault) return EndEarly(*run.fault);
    const CandidateTrial& trial = run.trials.front();
    const SampledLaunches& without_kernels = *outcome_.without_kernels.trials.front().sampled;
    if (!trial.sampled || trial.sampled->launches != 1 ||
        trial.sampled->allocations != without_kernels.allocations ||
        trial.sampled->blocks != without_kernels.blocks) {
      return NotCompared("it does not do the same in every run");
    }
    if (!HasShapes(trial)) return false;
    if (trial.sampled->run == 0) return NotChecked("few blocks do all the work there");
    if (trial.sampled->global_atomics) {
      return NotChecked("its blocks meet in atomic operations on global memory");
    }
    for (const std::string& name : trial.sampled->operators) {
      const bool is_operator = name.find("::") != std::string::npos;
      if (is_operator && !IsViewOperator(name))
        return NotChecked("the operator " + name + " follows its kernel");
    }
    return true;
  }

  void Compare() {
    const CandidateTrial& before = outcome_.without_kernels.trials.front();
    const CandidateTrial& first = sampled_[0].trials.front();
    const CandidateTrial& second = sampled_[1].trials.front();
    std::vector<Written> written;
    std::int64_t items = 0;
    for (std::size_t i = 0; i < first.outputs.size(); ++i) {
      written.push_back(WrittenIn(first.outputs[i], second.outputs[i]));
      if (!written.back().independent_of_fill) {
        NotChecked(
            "its blocks read the output before they write it: other blocks' results, or what "
            "forward() has put there");
        return;
      }
      items += static_cast<std::int64_t>(written.back().elements.size());
    }
    if (items == 0) {
      NotChecked("the blocks that ran write nothing that forward() returns");
      return;
    }
    VerdictFullSize& seen = outcome_.seen;
    seen.state = "checked";
    seen.blocks = first.sampled->run;
    seen.of_blocks = first.sampled->blocks;
    const bool all = seen.blocks == seen.of_blocks;
    for (std::size_t i = 0; i < first.outputs.size(); ++i) {
      if (!CompareOutput(i, written[i].elements, before.outputs[i], first.outputs[i], all)) return;
    }
    if (!all) CheckCover(items);
  }

  // If all blocks ran, elements that they have not written keep their previous values.
  bool CompareOutput(std::size_t output, const std::vector<std::int64_t>& written,
                     const TensorValues& before, const TensorValues& after, bool all) {
    const TensorValues& want = expected_.outputs[output];
    const std::string bytes = all ? Merged(after, written, before) : "";
    const TensorValues got = all ? after.WithBytes(bytes) : after;
    const OutputComparison compared =
        CompareOutputs(expected_.Output(output), got, Tolerance(),
                       all ? nullptr : &written);
    outcome_.seen.elements += compared.compared;
    // Indices and flags may differ too, if the sums that they depend on are close to each other.
    const auto wrong = static_cast<std::int64_t>(compared.wrong.size());
    if (wrong <= (want.is_floating() ? 0 : compared.compared / kToleratedOneIn)) return true;
    VerdictDiagnosis diagnosis;
    diagnosis.output = static_cast<std::int64_t>(output);
    diagnosis.shape = want.shape();
    diagnosis.wrong = wrong;
    diagnosis.total = compared.compared;
    diagnosis.elements = FirstElements(want, got, compared.wrong);
    const bool unwritten = std::none_of(
        compared.wrong.begin(), compared.wrong.end(),
        [&](std::int64_t i) { return std::binary_search(written.begin(), written.end(), i); });
    diagnosis.pattern = unwritten ? "not_written" : "large_sizes";
    const std::int64_t from = compared.wrong.front();
    if (from > 0 && compared.wrong.back() >= from &&
        wrong == (all ? want.size() - from
                      : written.end() - std::lower_bound(written.begin(), written.end(), from))) {
      diagnosis.where = "from element " + Number(from) + " on, counted row by row";
    }
    outcome_.diagnosis = std::move(diagnosis);
    return End(
        VerdictStatus::kWrong, "full_size",
        Number(outcome_.seen.blocks) + " of " + Number(outcome_.seen.of_blocks) + " blocks ran");
  }

  // Finds elements that no block writes: the grid is too small, or several blocks write the same
  // elements. It assumes that no block writes more than the first one. If that times the number of
  // blocks is less than what must be written, or just as much while some blocks add nothing,
  // elements are missing. It claims nothing if only few blocks have run.
  void CheckCover(std::int64_t items) {
    const CandidateTrial& before = outcome_.without_kernels.trials.front();
    std::int64_t first_block_items = 0;
    for (const CandidateRun& run : sampled_) {
      first_block_items =
          std::max(first_block_items, run.trials.front().sampled->first_block_items);
    }
    const std::int64_t blocks = outcome_.seen.blocks;
    if (blocks < kFewestBlocksForCover || items > first_block_items * blocks) return;
    double needed = 0.0, size = 0.0;
    for (std::size_t i = 0; i < before.outputs.size(); ++i) {
      const TensorValues& want = expected_.outputs[i];
      const std::vector<std::int64_t> sampled_elements = SpreadElements(want.size());
      const OutputComparison compared =
          CompareOutputs(expected_.Output(i), before.outputs[i], Tolerance(),
                         &sampled_elements);
      if (sampled_elements.empty()) continue;
      needed += static_cast<double>(want.size()) * static_cast<double>(compared.wrong.size()) /
                static_cast<double>(sampled_elements.size());
      size += static_cast<double>(want.size());
    }
    const auto most =
        static_cast<double>(first_block_items) * static_cast<double>(outcome_.seen.of_blocks);
    // If blocks of this size leave no element over, each of those that have written less is missing
    // somewhere.
    const std::int64_t less = first_block_items * blocks - items;
    if (needed == size && most == size && less > 0 && less % first_block_items == 0) {
      End(VerdictStatus::kWrong, "full_size",
          "of " + Number(blocks) + " blocks that ran, " + Number(less / first_block_items) +
              " write nothing, or only what others write; as all " +
              Number(outcome_.seen.of_blocks) +
              " blocks together have just enough elements, some are never written");
      return;
    }
    // If all blocks that ran, the last one among them, write as much, so do the others.
    const bool equal = less == 0 && needed == size && blocks >= kFewestEqualBlocks;
    constexpr double kMargin = 1.0 / 64.0;
    if (equal ? most >= size : most > needed - kMargin * size) return;
    End(VerdictStatus::kWrong, "full_size",
        "its " + Number(outcome_.seen.of_blocks) + " blocks write no more than " +
            Number(static_cast<std::int64_t>(most)) + " elements of some " +
            Number(static_cast<std::int64_t>(needed)) +
            ": the grid is too small, and there is no loop over the rest");
  }

  const std::uint64_t seed_;
  const std::optional<std::int64_t> launches_;
  const bool reads_results_;
  const FullSizeReference& full_;
  const ReferenceTrial& expected_;
  FullSizeOutcome outcome_;
  CandidateRun sampled_[std::size(kFills)];
};

}  // namespace

Result<FullSizeOutcome> CompareAtFullSize(std::uint64_t seed, std::optional<std::int64_t> launches,
                                          bool reads_results, const FullSizeReference& full,
                                          const FullSizeRunner& run) {
  if (full.run == nullptr) {
    FullSizeOutcome outcome;
    outcome.seen.why_not = full.why_not;
    return outcome;
  }
  return FullSizeComparison(seed, launches, reads_results, full).Take(run);
}

}  // namespace kernelmill
