#include "generators/reasoning/performance_findings.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "generators/reasoning/finding_words.h"
#include "generators/reasoning/performance_numbers.h"
#include "generators/reasoning/run_figures.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

// A launch takes a few microseconds, so below this the launches matter more than the work.
constexpr double kShortMicroseconds = 5;
constexpr double kManyTimes = 2;
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
  const auto add = [&](const std::string& dtype) {
    widest = std::max(widest, BytesIn({1}, dtype));
  };
  for (const InputSpec& input : subject.known.task.inputs) add(input.dtype);
  for (const TensorFacts& output : subject.known.facts.outputs) add(output.dtype);
  return widest < 2 ? kFloat : widest;
}

struct Access {
  bool load = true;  // Or a store.
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
        {true, Ratio(counts.global_load_sectors, counts.global_load_requests), fewest});
  }
  if (counts.global_store_requests > 0) {
    accesses.push_back(
        {false, Ratio(counts.global_store_sectors, counts.global_store_requests), fewest});
  }
  return accesses;
}

bool IsUncoalesced(const Access& access) {
  return access.sectors_of_request > kUncoalesced * access.fewest;
}

std::string AccessSentence(const Access& access, const FindingWords& words) {
  const std::string_view pattern =
      IsUncoalesced(access)                                    ? words.uncoalesced
      : access.sectors_of_request > kCoalesced * access.fewest ? words.slightly_more
      : access.sectors_of_request < access.fewest / kCoalesced ? words.fewer
                                                               : words.coalesced;
  return FillPlaceholders(pattern,
                          {{"what", std::string(access.load ? words.load : words.store)},
                           {"ratio", Decimal(access.sectors_of_request)},
                           {"fewest", std::to_string(static_cast<std::int64_t>(access.fewest))}});
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
  std::stable_sort(launches.begin(), launches.end(),
                   [&](const auto* a, const auto* b) { return sectors(a) > sectors(b); });
  return launches;
}

std::string LaunchItem(const ReasoningSubject& subject, const VerdictLaunch& launch,
                       const FindingWords& words) {
  const Verdict& verdict = subject.answer.verdict;
  const VerdictCounts& counts = *launch.counts;
  std::string text;
  const auto add = [&](const std::string& sentence) {
    text +=
        (text.empty() || &words == &FindingWordsIn(PromptLanguage::kChinese) ? "" : " ") + sentence;
  };
  for (const Access& access : AccessesOf(subject, launch)) add(AccessSentence(access, words));
  const std::int64_t shared = counts.shared_load_requests + counts.shared_store_requests;
  if (shared > 0) {
    add(FillPlaceholders(
        counts.bank_conflicts == 0 ? words.no_conflicts : words.conflicts,
        {{"conflicts", CountText(counts.bank_conflicts)}, {"requests", CountText(shared)}}));
  }
  if (launch.occupancy && !verdict.device.renamed) {
    char percent[16];
    std::snprintf(percent, sizeof percent, "%.0f", *launch.occupancy * 100);
    const auto* const device = DeviceFiguresOf(verdict, launch.kernel);
    const bool registers = device != nullptr && device->registers > 0;
    add(FillPlaceholders(registers ? words.occupancy_with_registers : words.occupancy,
                         {{"percent", percent},
                          {"registers", registers ? std::to_string(device->registers) : ""}}) +
        std::string(*launch.occupancy < kLowOccupancy ? words.low : words.enough));
    if (device != nullptr && device->spills > 0) {
      add(FillPlaceholders(words.spills, {{"spills", std::to_string(device->spills)}}));
    }
  }
  return FillPlaceholders(words.item, {{"kernel", launch.kernel}, {"text", text}});
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

// "1200 bytes" in the language of the answer.
std::string AmountIn(const ReasoningSubject& subject, std::int64_t bytes, PromptLanguage language) {
  constexpr std::string_view kEnglish = " bytes", kChinese = " 字节";
  std::string text = subject.Style().Bytes(bytes);
  if (language == PromptLanguage::kChinese && text.ends_with(kEnglish)) {
    text.replace(text.size() - kEnglish.size(), kEnglish.size(), kChinese);
  }
  return text;
}

}  // namespace

std::string BoundText(const ReasoningSubject& subject, PromptLanguage language) {
  const FindingWords& words = FindingWordsIn(language);
  const std::int64_t flops = PlannedFlops(subject.answer), bytes = PlannedBytes(subject.answer);
  const std::vector<DesignedKernel>& plans = subject.answer.kernels;
  const ValueStyle style = subject.Style();
  const DesignedKernel& most = *std::max_element(
      plans.begin(), plans.end(),
      [](const DesignedKernel& a, const DesignedKernel& b) { return a.bytes < b.bytes; });
  const std::int64_t eager = subject.known.facts.bytes;
  const KnownDevice& device = KnownDeviceOf(subject.answer.backend);
  const SentenceValues values = {{"bytes", AmountIn(subject, bytes, language)},
                                 {"flops", style.Count(flops)},
                                 {"function", most.function},
                                 {"part", AmountIn(subject, most.bytes, language)},
                                 {"eager", AmountIn(subject, eager, language)},
                                 {"ratio", IntensityText(flops, bytes)},
                                 {"device", std::string(device.name)},
                                 {"time", LeastMicroseconds(flops, bytes, device)}};
  std::vector<std::string_view> patterns = {flops <= 0          ? words.no_arithmetic
                                            : plans.size() == 1 ? words.moved
                                                                : words.moved_by_functions};
  if (plans.size() > 1) patterns.push_back(words.largest);
  if (eager > bytes) patterns.push_back(words.eager);
  if (flops > 0) {
    const Bound bound = BoundOf(flops, bytes);
    patterns.push_back(bound == Bound::kMemory    ? words.memory_bound
                       : bound == Bound::kCompute ? words.compute_bound
                                                  : words.near_ridge);
  }
  patterns.push_back(words.least_time);
  std::string text;
  for (const std::string_view pattern : patterns) {
    const bool space = !text.empty() && language != PromptLanguage::kChinese;
    text += (space ? " " : "") + FillPlaceholders(pattern, values);
  }
  return text;
}

std::string ThreadsText(const ReasoningSubject& subject, PromptLanguage language) {
  if (language != PromptLanguage::kChinese) return MappingStep(subject);
  // The sentences of plans are English; the code itself says which thread computes what.
  const FindingWords& words = FindingWordsIn(language);
  // Kernels with one index and launch are named together.
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const AnswerKernel& kernel : subject.code.kernels) {
    for (const ThreadIndex& index : kernel.facts.indices) {
      if (index.expression.find("threadIdx") == index.expression.npos) continue;
      std::string said =
          FillPlaceholders(words.index, {{"index", index.name + " = " + index.expression}});
      if (!kernel.plan->grid.empty() && subject.code.HasNamesOf(kernel.plan->grid)) {
        said += FillPlaceholders(words.launch, {{"grid", kernel.plan->grid},
                                                {"threads", std::to_string(kernel.plan->threads)}});
      }
      auto group = std::find_if(groups.begin(), groups.end(),
                                [&](const auto& one) { return one.first == said; });
      if (group == groups.end()) group = groups.insert(groups.end(), {said, {}});
      group->second.push_back("`" + kernel.name + "`");
      break;
    }
  }
  constexpr std::size_t kMostNames = 3;
  std::string text;
  for (const auto& [said, kernels] : groups) {
    std::string names;
    for (std::size_t i = 0; i < std::min(kernels.size(), kMostNames); ++i) {
      names += (i > 0 ? "、" : "") + kernels[i];
    }
    names += kernels.size() > kMostNames ? " 等核函数" : " ";
    text += (text.empty() ? "- " : "\n- ") + FillPlaceholders(said, {{"kernels", names}});
  }
  return text;
}

std::string CountersText(const ReasoningSubject& subject, PromptLanguage language) {
  const FindingWords& words = FindingWordsIn(language);
  std::string text;
  std::size_t told = 0;
  for (const VerdictLaunch* launch : Counted(subject.answer.verdict)) {
    if (told++ == kMostLaunches) break;
    text += (text.empty() ? "" : "\n") + LaunchItem(subject, *launch, words);
  }
  if (!text.empty() && !subject.answer.verdict.sizes.empty()) {
    text += "\n\n" + std::string(words.smaller_sizes);
  }
  return text;
}

bool AccessesAreCoalesced(const ReasoningSubject& subject) {
  Access worst;
  const std::vector<const VerdictLaunch*> launches = Counted(subject.answer.verdict);
  return !launches.empty() && WorstAccess(subject, &worst) == nullptr &&
         std::none_of(launches.begin(), launches.end(), [](const VerdictLaunch* launch) {
           return launch->counts->bank_conflicts > 0;
         });
}

std::string AdviceText(const ReasoningSubject& subject, PromptLanguage language) {
  const FindingWords& words = FindingWordsIn(language);
  const Candidate& answer = subject.answer;
  const std::int64_t bytes = PlannedBytes(answer), flops = PlannedFlops(answer);
  std::vector<std::string> items;
  Access worst;
  if (const VerdictLaunch* const launch = WorstAccess(subject, &worst)) {
    items.push_back(FillPlaceholders(
        words.remap, {{"kernel", launch->kernel},
                      {"what", std::string(worst.load ? words.load : words.store)},
                      {"factor", Decimal(worst.sectors_of_request / worst.fewest)}}));
  }
  const double times = TimesOfPlannedBytes(answer);
  if (items.empty() && times > kManyTimes) {
    items.push_back(FillPlaceholders(words.reuse, {{"times", Decimal(times)}}));
  }
  const std::int64_t between = bytes - BoundaryBytes(subject.known.task, subject.known.facts);
  if (answer.kernels.size() > 1 && between > 0) {
    items.push_back(
        FillPlaceholders(words.fuse, {{"bytes", AmountIn(subject, bytes, language)},
                                      {"between", AmountIn(subject, between, language)}}));
  }
  for (const VerdictLaunch* launch : Counted(answer.verdict)) {
    const VerdictCounts& counts = *launch->counts;
    const std::int64_t shared = counts.shared_load_requests + counts.shared_store_requests;
    if (counts.bank_conflicts * 4 <= shared) continue;
    items.push_back(FillPlaceholders(
        words.pad, {{"kernel", launch->kernel}, {"conflicts", CountText(counts.bank_conflicts)}}));
    break;
  }
  if (std::atof(LeastMicroseconds(flops, bytes, KnownDeviceOf(answer.backend)).c_str()) <
      kShortMicroseconds) {
    items.emplace_back(answer.kernels.size() > 1 ? words.launches_matter : words.launch_matters);
  }
  if (items.empty()) {
    return std::string(Counted(answer.verdict).empty() ? words.not_counted : words.nothing);
  }
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    text += (i > 0 ? "\n" : "") + std::to_string(i + 1) + ". " + items[i];
  }
  return text;
}

}  // namespace kernelmill
