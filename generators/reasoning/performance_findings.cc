#include "generators/reasoning/performance_findings.h"

#include <algorithm>

#include "generators/reasoning/performance_numbers.h"
#include "generators/reasoning/run_figures.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

// A launch takes a few microseconds, so below this the launches matter more than the work.
constexpr double kShortMicroseconds = 5;
// Up to this many times the fewest sectors count as coalesced, from there on as not.
constexpr double kCoalesced = 1.2, kUncoalesced = 1.5;
constexpr double kLowOccupancy = 0.5, kManyTimes = 2;
constexpr std::size_t kMostLaunches = 3;

double Ratio(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// The bytes that one lane loads with one instruction: those of a pack where the kernel has some,
// otherwise those of an element.
std::int64_t BytesOfLane(const ReasoningSubject& subject, const std::string& kernel) {
  constexpr std::int64_t kPack = 16, kFloat = 4;
  const std::string plain = kernel.substr(0, kernel.find('<'));
  for (const AnswerKernel& one : subject.code.kernels) {
    if (one.name != plain) continue;
    if (!one.facts.vector_types.empty() || one.plan->strategy == "vectorised") return kPack;
  }
  // Of several dtypes the widest: with it no access counts as uncoalesced that is not.
  std::int64_t widest = 0;
  const auto add = [&](const std::string& dtype) { widest = std::max(widest, BytesIn({1}, dtype)); };
  for (const InputSpec& input : subject.known.task.inputs) add(input.dtype);
  for (const TensorFacts& output : subject.known.facts.outputs) add(output.dtype);
  return widest < 2 ? kFloat : widest;
}

struct Access {
  std::string_view what;
  double sectors_of_request = 0;
  double fewest = 0;  // Sectors of a request whose lanes access neighbouring places.
};

// The loads and stores of the launch, with the sectors that coalesced ones would need.
std::vector<Access> AccessesOf(const ReasoningSubject& subject, const VerdictLaunch& launch) {
  const VerdictCounts& counts = *launch.counts;
  // 32 lanes with as many bytes each fill as many sectors of 32 bytes.
  const auto fewest = static_cast<double>(BytesOfLane(subject, launch.kernel));
  std::vector<Access> accesses;
  if (counts.global_load_requests > 0) {
    accesses.push_back(
        {"load", Ratio(counts.global_load_sectors, counts.global_load_requests), fewest});
  }
  if (counts.global_store_requests > 0) {
    accesses.push_back(
        {"store", Ratio(counts.global_store_sectors, counts.global_store_requests), fewest});
  }
  return accesses;
}

bool IsUncoalesced(const Access& access) {
  return access.sectors_of_request > kUncoalesced * access.fewest;
}

std::string AccessSentence(const Access& access) {
  const std::string what(access.what), ratio = Decimal(access.sectors_of_request);
  const std::string fewest = std::to_string(static_cast<std::int64_t>(access.fewest));
  std::string text = "A " + what + " request touches " + ratio + " sectors on average";
  if (IsUncoalesced(access)) {
    return text + ", where 32 lanes that access neighbouring places of " + fewest +
           " bytes need " + fewest + " sectors: the " + what + "s are not coalesced.";
  }
  if (access.sectors_of_request > kCoalesced * access.fewest) {
    return text + ", slightly more than the " + fewest + " sectors of coalesced accesses of " +
           fewest + " bytes per lane.";
  }
  if (access.sectors_of_request < access.fewest / kCoalesced) {
    return text + ", fewer than the " + fewest + " sectors of 32 lanes with " + fewest +
           " bytes each, because lanes share addresses or not all lanes are active.";
  }
  return text + ", which is what 32 lanes with " + fewest + " bytes each need: the " + what +
         "s are coalesced.";
}

// The launches with counters, those with the most traffic first.
std::vector<const VerdictLaunch*> Counted(const Verdict& verdict) {
  std::vector<const VerdictLaunch*> launches;
  for (const VerdictLaunch& launch : verdict.launches) {
    if (launch.counts) launches.push_back(&launch);
  }
  const auto sectors = [](const VerdictLaunch* launch) {
    return launch->counts->global_load_sectors + launch->counts->global_store_sectors;
  };
  std::stable_sort(launches.begin(), launches.end(), [&](const auto* a, const auto* b) {
    return sectors(a) > sectors(b);
  });
  return launches;
}

std::string LaunchItem(const ReasoningSubject& subject, const VerdictLaunch& launch) {
  const Verdict& verdict = subject.answer.verdict;
  const VerdictCounts& counts = *launch.counts;
  std::string text;
  const auto add = [&](const std::string& sentence) {
    text += (text.empty() ? "" : " ") + sentence;
  };
  for (const Access& access : AccessesOf(subject, launch)) add(AccessSentence(access));
  const std::int64_t shared = counts.shared_load_requests + counts.shared_store_requests;
  if (shared > 0) {
    add(counts.bank_conflicts == 0
            ? "Shared memory is accessed without bank conflicts."
            : CountText(counts.bank_conflicts) + " extra passes through shared memory are bank "
              "conflicts, on top of " + CountText(shared) + " requests.");
  }
  if (launch.occupancy && !verdict.device.renamed) {
    char percent[16];
    std::snprintf(percent, sizeof percent, "%.0f", *launch.occupancy * 100);
    const auto* const device = DeviceFiguresOf(verdict, launch.kernel);
    std::string sentence = "The occupancy is " + std::string(percent) + " %";
    if (device != nullptr && device->registers > 0) {
      sentence += " with " + std::to_string(device->registers) + " registers per thread";
    }
    add(sentence + (*launch.occupancy < kLowOccupancy
                        ? ", so few warps are resident to hide the latency of memory."
                        : ", which leaves enough warps to hide the latency of memory."));
    if (device != nullptr && device->spills > 0) {
      add("The compiler spills " + std::to_string(device->spills) +
          " bytes of registers to local memory, which adds traffic.");
    }
  }
  return "- `" + launch.kernel + "`: " + text;
}

// The kernel with the most traffic whose loads or stores are not coalesced; null without one.
const VerdictLaunch* WorstAccess(const ReasoningSubject& subject, Access* worst) {
  for (const VerdictLaunch* launch : Counted(subject.answer.verdict)) {
    for (const Access& access : AccessesOf(subject, *launch)) {
      if (!IsUncoalesced(access)) continue;
      *worst = access;
      return launch;
    }
  }
  return nullptr;
}

}  // namespace

std::string BoundText(const ReasoningSubject& subject) {
  const std::int64_t flops = PlannedFlops(subject.answer), bytes = PlannedBytes(subject.answer);
  const std::string traffic = TrafficStep(subject), bound = RooflineStep(subject);
  return traffic + (bound.empty() ? "" : " " + bound) + " On an " + std::string(kKnownDevice) +
         " this takes at least " + LeastMicroseconds(flops, bytes) + " µs.";
}

std::string CountersText(const ReasoningSubject& subject) {
  std::string text;
  std::size_t told = 0;
  for (const VerdictLaunch* launch : Counted(subject.answer.verdict)) {
    if (told++ == kMostLaunches) break;
    text += (text.empty() ? "" : "\n") + LaunchItem(subject, *launch);
  }
  if (!text.empty() && !subject.answer.verdict.sizes.empty()) {
    text += "\n\nThe counters are of a run at smaller sizes than the task's, so the ratios carry over "
            "and the totals do not.";
  }
  return text;
}

std::string AdviceText(const ReasoningSubject& subject) {
  const Candidate& answer = subject.answer;
  const std::int64_t bytes = PlannedBytes(answer), flops = PlannedFlops(answer);
  std::vector<std::string> items;
  Access worst;
  if (const VerdictLaunch* const launch = WorstAccess(subject, &worst)) {
    const std::string factor = Decimal(worst.sectors_of_request / worst.fewest);
    items.push_back("Change the index mapping of `" + launch->kernel +
                    "` so that neighbouring threads access neighbouring elements. Its " +
                    std::string(worst.what) + "s then need up to " + factor +
                    " times fewer sectors.");
  }
  const double times = TimesOfPlannedBytes(answer);
  if (items.empty() && times > kManyTimes) {
    items.push_back("The warps request " + Decimal(times) +
                    " times the bytes of the tensors, so values are loaded repeatedly, mostly from "
                    "the caches. Keeping a loaded value in registers or shared memory for its "
                    "further uses reduces these requests, by at most that factor.");
  }
  const std::int64_t between = bytes - BoundaryBytes(subject.known.task, subject.known.facts);
  if (answer.kernels.size() > 1 && between > 0) {
    items.push_back("Of the " + subject.Style().Bytes(bytes) + ", " +
                    subject.Style().Bytes(between) +
                    " are intermediate results that one kernel writes and another reads, and tensors "
                    "that several kernels read. Fusing kernels whose elements correspond removes part "
                    "of this traffic, and each fused kernel saves a launch.");
  }
  for (const VerdictLaunch* launch : Counted(answer.verdict)) {
    const VerdictCounts& counts = *launch->counts;
    const std::int64_t shared = counts.shared_load_requests + counts.shared_store_requests;
    if (counts.bank_conflicts * 4 <= shared) continue;
    items.push_back("Pad the rows of the shared arrays of `" + launch->kernel +
                    "` by one element, or swap their indices: that removes the bank conflicts, which "
                    "cost as much as " + CountText(counts.bank_conflicts) + " further requests.");
    break;
  }
  const double micro = std::atof(LeastMicroseconds(flops, bytes).c_str());
  if (micro < kShortMicroseconds) {
    items.push_back(
        answer.kernels.size() > 1
            ? "At these sizes the work takes less time than launching the kernels, which costs a few "
              "microseconds for each. Fewer launches, or a captured graph, matter more than the code "
              "inside the kernels."
            : "At these sizes the work takes less time than the launch, which costs a few "
              "microseconds. Tuning the kernel hardly changes the time of a call; launching it less "
              "often, on more data, does.");
  }
  if (items.empty()) {
    return "There is little to gain: the accesses are coalesced, and each tensor is moved about once. "
           "Only moving fewer bytes would make it faster, for example by fusing the kernel with the "
           "operator before or after it, or by a narrower dtype.";
  }
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    text += (i > 0 ? "\n" : "") + std::to_string(i + 1) + ". " + items[i];
  }
  return text;
}

}  // namespace kernelmill
