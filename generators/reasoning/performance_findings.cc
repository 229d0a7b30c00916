#include "generators/reasoning/performance_findings.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <regex>

#include "corpora/kernel_backend.h"
#include "generators/reasoning/call_limit.h"
#include "generators/reasoning/copying_functions.h"
#include "generators/reasoning/finding_words.h"
#include "generators/reasoning/global_accesses.h"
#include "generators/reasoning/performance_numbers.h"
#include "generators/reasoning/run_figures.h"
#include "generators/wording/operator_words.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostLaunches = 3;

// The sentence of the level that takes longest.
std::string_view LevelOf(const CallLimit& limit, const FindingWords& words) {
  return limit.shared > limit.cache ? words.shared_level : words.cache_level;
}

bool IsChinese(const FindingWords& words) {
  return &words == &FindingWordsIn(PromptLanguage::kChinese);
}

std::string Percent(double share) {
  char percent[16];
  std::snprintf(percent, sizeof percent, "%.0f", share * 100);
  return percent;
}

std::string ArrayList(const std::vector<std::string>& arrays, const FindingWords& words) {
  if (!IsChinese(words)) return CodeList(arrays, 3);
  std::string text;
  for (const std::string& array : arrays) text += (text.empty() ? "`" : "、`") + array + "`";
  return text;
}

std::string AccessSentence(const GlobalAccess& access, const FindingWords& words) {
  std::string_view pattern;
  switch (access.use) {
    case AccessUse::kWhole:
      pattern = words.whole;
      break;
    case AccessUse::kMore:
      pattern = words.more;
      break;
    case AccessUse::kScattered:
      pattern = access.lanes > 0           ? words.scattered_lanes
                : access.arrays.size() > 1 ? words.scattered_some
                                           : words.scattered;
      break;
    case AccessUse::kShared:
      pattern = words.shared_addresses;
      break;
    case AccessUse::kMixed:
      pattern = words.mixed;
      break;
    case AccessUse::kFilled:
      pattern = words.filled;
      break;
    case AccessUse::kWasted:
      pattern = words.wasted;
      break;
  }
  return FillPlaceholders(pattern, {{"what", std::string(access.load ? words.load : words.store)},
                                    {"ratio", Decimal(access.ratio)},
                                    {"width", std::to_string(access.width)},
                                    {"lanes", Decimal(access.lanes)},
                                    {"sectors", CountText(access.sectors)},
                                    {"filled", CountText(access.filled)},
                                    {"times", Decimal(TimesOfFewest(access))},
                                    {"bytes", Short(access.bytes_of_request)},
                                    {"fit", Short(access.bytes_of_request / kSectorBytes)},
                                    {"arrays", ArrayList(access.arrays, words)}});
}

std::string OccupancySentence(const Candidate& answer, const VerdictLaunch& launch,
                              const FindingWords& words) {
  const Occupancy occupancy = OccupancyOf(answer, launch);
  const auto* const device = DeviceFiguresOf(answer.verdict, launch.kernel);
  const bool registers = device != nullptr && device->registers > 0;
  std::string_view judgement;
  switch (JudgementOf(launch, occupancy)) {
    case OccupancyJudgement::kIdle:
      judgement = words.idle;
      break;
    case OccupancyJudgement::kPartly:
      judgement = words.partly;
      break;
    case OccupancyJudgement::kLow:
      judgement = words.low;
      break;
    case OccupancyJudgement::kFull:
      judgement = words.full;
      break;
    case OccupancyJudgement::kNothing:
      judgement = IsChinese(words) ? "。" : ".";
      break;
  }
  const std::int64_t multiprocessors = KnownDeviceOf(answer.backend).multiprocessors;
  return FillPlaceholders(std::string(registers ? words.allowed_with_registers : words.allowed) +
                              std::string(judgement),
                          {{"percent", Percent(*launch.occupancy)},
                           {"registers", registers ? std::to_string(device->registers) : ""},
                           {"blocks", CountText(occupancy.blocks)},
                           {"multiprocessors", std::to_string(multiprocessors)},
                           {"empty", std::to_string(multiprocessors - occupancy.blocks)},
                           {"warps", std::to_string(occupancy.warps)},
                           {"each", Decimal(occupancy.per_multiprocessor)}});
}

// The values of the sentences about requests to the caches and to shared memory.
void AddLevelValues(const Candidate& answer, const KnownDevice& device, const CallLimit& limit,
                    SentenceValues* values) {
  const CountedWork work = CountedWorkOf(answer.verdict);
  for (const auto& [name, value] :
       {std::pair("times", Decimal(TimesOfPlannedBytes(answer))),
        std::pair("cache", MicrosecondsText(limit.cache)),
        std::pair("cache_rate", std::string(device.cache_rate)),
        std::pair("passes", CountText(work.shared_passes)),
        std::pair("shared", MicrosecondsText(limit.shared)),
        std::pair("sectors", CountText(work.sectors)),
        std::pair("moved", LeastMicroseconds(0, work.sectors * kSectorBytes, device))}) {
    values->emplace_back(name, value);
  }
}

// "" when nothing is to be said of the launch.
std::string LaunchItem(const ReasoningSubject& subject, const VerdictLaunch& launch,
                       const FindingWords& words) {
  const Verdict& verdict = subject.answer.verdict;
  const VerdictCounts& counts = *launch.counts;
  std::string text;
  const auto add = [&](const std::string& sentence) {
    text += (text.empty() || IsChinese(words) ? "" : " ") + sentence;
  };
  const std::vector<GlobalAccess> accesses = GlobalAccessesOf(subject, launch);
  if (AreWholeAlike(accesses)) {
    add(FillPlaceholders(words.whole_both, {{"ratio", Decimal(accesses[0].ratio)},
                                            {"width", std::to_string(accesses[0].width)}}));
  } else {
    for (const GlobalAccess& access : accesses) add(AccessSentence(access, words));
  }
  const std::int64_t shared = counts.SharedRequests();
  if (shared > 0) {
    add(FillPlaceholders(
        counts.bank_conflicts == 0 ? words.no_conflicts : words.conflicts,
        {{"conflicts", CountText(counts.bank_conflicts)}, {"requests", CountText(shared)}}));
  }
  if (launch.occupancy && !verdict.device.renamed) {
    add(OccupancySentence(subject.answer, launch, words));
    const auto* const device = DeviceFiguresOf(verdict, launch.kernel);
    if (device != nullptr && device->spills > 0) {
      add(FillPlaceholders(words.spills, {{"spills", std::to_string(device->spills)}}));
    }
  }
  if (text.empty()) return "";
  return FillPlaceholders(words.item, {{"kernel", launch.kernel}, {"text", text}});
}

// The device's name, with its peak rates where the question does not give them.
std::string DeviceInWords(const ReasoningSubject& subject) {
  const KnownDevice& device = subject.Device();
  const std::string peaks = subject.shows_counters ? "" : " (" + std::string(device.peaks) + ")";
  return std::string(device.name) + peaks;
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
  const KnownDevice& device = subject.Device();
  const CallLimit limit = LimitOf(subject.answer, &subject.known.facts, subject.Device());
  SentenceValues values = {{"bytes", AmountIn(subject, bytes, language)},
                           {"flops", style.Count(flops)},
                           {"function", most.function},
                           {"part", AmountIn(subject, most.bytes, language)},
                           {"eager", AmountIn(subject, eager, language)},
                           {"ratio", IntensityText(flops, bytes)},
                           {"device", DeviceInWords(subject)},
                           {"ridge", Decimal(device.Ridge())},
                           {"time", LeastMicroseconds(flops, bytes, device)},
                           {"launches", CountText(limit.launches)},
                           {"kernel", limit.kernel},
                           {"blocks", CountText(limit.blocks)},
                           {"multiprocessors", std::to_string(device.multiprocessors)}};
  AddLevelValues(subject.answer, device, limit, &values);
  const bool alone = plans.size() == 1 && plans[0].kernels.size() == 1;
  std::vector<std::string_view> patterns = {flops <= 0          ? words.no_arithmetic
                                            : alone             ? words.moved_by_one
                                            : plans.size() == 1 ? words.moved
                                                                : words.moved_by_functions};
  const bool launch_bound = limit.limit == Limit::kLaunch;
  // Where the launches decide, how the work is divided up says nothing.
  if (plans.size() > 1 && !launch_bound) patterns.push_back(words.largest);
  if (const std::string call = CostlyCall(subject.code); flops > 0 && !call.empty()) {
    patterns.push_back(words.counted_once);
    values.emplace_back("call", call);
  }
  if (const auto again = LoadedAgain(subject.code); again && !launch_bound) {
    patterns.push_back(words.read_again);
    values.emplace_back("array", again->array);
    values.emplace_back("first", again->first);
    values.emplace_back("second", again->second);
  }
  for (const DesignedKernel& plan : plans) {
    if (!IsSplit(plan) || launch_bound) continue;
    patterns.push_back(words.partial);
    values.emplace_back("kernels", ArrayList(plan.kernels, words));
    break;
  }
  if (const std::vector<CopyingFunction> copying =
          CopyingFunctions(subject.answer, subject.known.task, subject.known.facts);
      !copying.empty()) {
    const std::int64_t copied = copying[0].bytes;
    patterns.push_back(copying[0].of_input ? words.copied_input : words.copied);
    patterns.push_back(copied > 0 ? words.copied_bytes : words.copied_unknown);
    values.emplace_back("callee", copying[0].name);
    values.emplace_back("copied", AmountIn(subject, copied, language));
  }
  // What is saved in bytes matters only where the bytes take time.
  if (eager > bytes && !launch_bound && ComputingOperators(subject.known.facts).size() > 1) {
    patterns.push_back(words.eager);
  }
  if (flops > 0) {
    patterns.push_back(limit.balanced     ? words.near_ridge
                       : limit.arithmetic ? words.above_ridge
                                          : words.below_ridge);
  }
  const bool one = limit.launches == 1;
  switch (limit.limit) {
    case Limit::kLaunch:
      patterns.push_back(one ? words.launch_bound : words.launches_bound);
      break;
    case Limit::kLaunchAndWork:
      if (limit.by_level && !subject.shows_counters) {
        patterns.insert(
            patterns.end(),
            {words.least, limit.shared > limit.cache ? words.shared_untold : words.cache_untold});
        break;
      }
      if (limit.by_level) {
        patterns.insert(patterns.end(),
                        {words.least, LevelOf(limit, words), words.level_and_launch});
        break;
      }
      patterns.push_back(limit.poor_reuse ? words.launch_and_reuse
                         : one            ? words.launch_and_work
                                          : words.launches_and_work);
      break;
    case Limit::kFewBlocks:
      patterns.push_back(device.multiprocessors > 0 ? words.few_blocks : words.few_blocks_of_some);
      break;
    case Limit::kMemory:
      patterns.push_back(limit.poor_reuse ? words.poor_reuse
                         : limit.balanced ? words.both_bound
                         : subject.shows_counters &&
                                 TimesOfPlannedBytes(subject.answer) > kManyTimes
                             ? words.memory_if_cached
                             : words.memory_bound);
      break;
    case Limit::kCompute:
      patterns.push_back(limit.balanced ? words.both_bound : words.compute_bound);
      break;
    case Limit::kCache:
    case Limit::kShared:
      patterns.push_back(words.least);
      if (!subject.shows_counters) {
        patterns.push_back(limit.limit == Limit::kShared ? words.shared_untold
                                                         : words.cache_untold);
      } else if (limit.of_smaller_run) {
        patterns.push_back(words.shared_of_run);
      } else {
        patterns.insert(patterns.end(), {LevelOf(limit, words), words.level_bound});
      }
      break;
  }
  std::string text;
  for (const std::string_view pattern : patterns) {
    const bool space =
        !text.empty() && language != PromptLanguage::kChinese && !pattern.starts_with(',');
    text += (space ? " " : "") + FillPlaceholders(pattern, values);
  }
  return text;
}

std::string CountersText(const ReasoningSubject& subject, PromptLanguage language) {
  const FindingWords& words = FindingWordsIn(language);
  std::string text;
  std::size_t told = 0;
  bool accesses = false;
  for (const VerdictLaunch* launch : CountedLaunches(subject.answer.verdict)) {
    const std::string item = LaunchItem(subject, *launch, words);
    if (item.empty()) continue;
    text += (text.empty() ? "" : "\n") + item;
    accesses = accesses || !GlobalAccessesOf(subject, *launch).empty();
    if (++told == kMostLaunches) break;
  }
  if (accesses && !subject.answer.verdict.sizes.empty()) {
    text += "\n\n" + std::string(words.smaller_sizes);
  }
  return text;
}

}  // namespace kernelmill
