// What to change in a program: the advice of analyses, which fits the limit of the call.
#include <algorithm>
#include <optional>
#include <regex>

#include "corpora/kernel_backend.h"
#include "generators/reasoning/call_limit.h"
#include "generators/reasoning/finding_words.h"
#include "generators/reasoning/global_accesses.h"
#include "generators/reasoning/performance_findings.h"
#include "generators/reasoning/performance_numbers.h"
#include "generators/reasoning/run_figures.h"
#include "generators/wording/operator_words.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

// Advice is about kernels with at least this part of the time of the plan, and of the sectors that
// were counted.
constexpr double kSmallShare = 0.1, kSmallPart = 0.02;

// The part of the answer's least time that the plan takes.
double ShareOf(const Candidate& answer, const DesignedKernel& plan) {
  const KnownDevice& device = KnownDeviceOf(answer.backend);
  double all = 0;
  for (const DesignedKernel& one : answer.kernels) all += LeastTime(one.flops, one.bytes, device);
  return all > 0 ? LeastTime(plan.flops, plan.bytes, device) / all : 1;
}

bool Matters(const ReasoningSubject& subject, const VerdictLaunch& launch) {
  const AnswerKernel* const kernel = KernelOf(subject.code, launch);
  const CountedWork work = CountedWorkOf(subject.answer.verdict);
  const auto part = static_cast<double>(launch.counts->GlobalSectors());
  return kernel != nullptr && ShareOf(subject.answer, *kernel->plan) >= kSmallShare &&
         part >= kSmallPart * static_cast<double>(work.sectors);
}

// "b" and "a" of the index "a * s + b", where neighbouring lanes differ in `a` and not in `b`.
struct IndexTerms {
  std::string outer, inner;
};
std::optional<IndexTerms> StridedTerms(const AnswerKernel& kernel, const std::string& access) {
  static const std::regex kStrided(R"(\w+\[(\w+) \* \w+ \+ (\w+)\])");
  std::smatch match;
  if (!std::regex_match(access, match, kStrided)) return std::nullopt;
  const auto of_lane = [&](const std::string& name) {
    return std::any_of(
        kernel.facts.indices.begin(), kernel.facts.indices.end(), [&](const ThreadIndex& index) {
          return index.name == name && (index.kind == ThreadIndex::Kind::kDerived ||
                                        index.expression.find("threadIdx") != std::string::npos);
        });
  };
  if (!of_lane(match[1]) || of_lane(match[2])) return std::nullopt;
  return IndexTerms{match[2], match[1]};
}

// That another kernel of the call loads the array badly, too. Where its loads mix elements of
// several widths, the index says so and not their average: it begins like `access`.
std::string SameLayout(const ReasoningSubject& subject, const AnswerKernel& kernel,
                       const MemoryAccess& access, const FindingWords& words) {
  const std::string& array = access.array;
  const std::string index = access.text.substr(0, access.text.rfind(" + ") + 3);
  for (const VerdictLaunch* launch : CountedLaunches(subject.answer.verdict)) {
    const AnswerKernel* const other = KernelOf(subject.code, *launch);
    if (other == nullptr || other == &kernel || other->plan != kernel.plan) continue;
    const auto& loads = other->facts.loads;
    const bool strided = std::any_of(loads.begin(), loads.end(), [&](const MemoryAccess& one) {
      return one.array == array && one.text.starts_with(index);
    });
    for (const GlobalAccess& loaded : GlobalAccessesOf(subject, *launch)) {
      const bool alone = IsWasteful(loaded) && loaded.arrays == std::vector{array};
      const bool mixed = loaded.use == AccessUse::kMixed && strided;
      if (loaded.load && (alone || mixed)) {
        return FillPlaceholders(words.same_layout, {{"array", array}, {"other", other->name}});
      }
    }
  }
  return "";
}

// The advice on an access that wastes sectors; "" when it is not known which of several it is.
std::string AccessAdvice(const ReasoningSubject& subject, const VerdictLaunch& launch,
                         const GlobalAccess& access, const FindingWords& words) {
  const AnswerKernel* const kernel = KernelOf(subject.code, launch);
  if (kernel == nullptr || access.arrays.size() != 1) return "";
  const std::string& array = access.arrays[0];
  SentenceValues values = {{"kernel", kernel->name},
                           {"what", std::string(access.load ? words.load : words.store)},
                           {"array", array},
                           {"factor", Short(TimesOfFewest(access))}};
  if (IsIntermediate(subject.code, *kernel, array)) {
    for (const MemoryAccess& one : access.load ? kernel->facts.loads : kernel->facts.stores) {
      if (one.array != array) continue;
      const auto terms = StridedTerms(*kernel, one.text);
      if (!terms) break;
      values.emplace_back("outer", terms->outer);
      values.emplace_back("inner", terms->inner);
      return FillPlaceholders(words.lay_out, values) + SameLayout(subject, *kernel, one, words);
    }
    return FillPlaceholders(words.lay_out_any, values);
  }
  if (access.load) {
    for (const MemoryAccess& one : kernel->facts.loads) {
      if (one.array == array && one.text.find("_stride") != std::string::npos) {
        return FillPlaceholders(words.strided, values);
      }
    }
  }
  const std::string& strategy = kernel->plan->strategy;
  if (access.load && (strategy == "thread_a_row" || strategy == "thread_a_short_row")) {
    return FillPlaceholders(words.row_by_warp, values);
  }
  static const std::regex kApart(R"(\w+ \+ k \* \w+)");
  const bool row =
      strategy == "block_a_row" || strategy == "warp_a_row" || strategy == "tree_a_row";
  for (const ThreadIndex& index : kernel->facts.indices) {
    if (access.load && row && std::regex_match(index.expression, kApart)) {
      return FillPlaceholders(words.side_by_side, values);
    }
  }
  static const std::regex kNeighbours(R"(tx \* (\d+) \+ (\w+))");
  static const std::regex kThreads(R"(threadIdx\.x % (\d+))");
  for (const ThreadIndex& index : kernel->facts.indices) {
    std::smatch old, threads;
    if (access.load || !std::regex_search(index.expression, old, kNeighbours)) continue;
    for (const ThreadIndex& tx : kernel->facts.indices) {
      if (tx.name != "tx" || !std::regex_match(tx.expression, threads, kThreads)) continue;
      values.emplace_back("old", old[0].str());
      values.emplace_back("new", "tx + " + old[2].str() + " * " + threads[1].str());
      values.emplace_back("columns", old[1].str());
      return FillPlaceholders(words.spread_columns, values);
    }
  }
  return FillPlaceholders(words.remap, values);
}

// How much of the traffic the access is.
std::string PartOfSectors(const ReasoningSubject& subject, const GlobalAccess& access,
                          const FindingWords& words) {
  const CountedWork work = CountedWorkOf(subject.answer.verdict);
  if (!subject.shows_counters || !work.all_counted || work.sectors <= 0) return "";
  const auto part = static_cast<double>(access.sectors) / static_cast<double>(work.sectors);
  return FillPlaceholders(words.part_of_sectors,
                          {{"what", std::string(access.load ? words.load : words.store)},
                           {"part", CountText(access.sectors)},
                           {"sectors", CountText(work.sectors)},
                           {"percent", std::to_string(static_cast<int>(100 * part + 0.5))}});
}

// Requests in which most lanes of a warp have nothing to do, in a contraction without tiles.
std::string LanesAdvice(const ReasoningSubject& subject, const FindingWords& words) {
  constexpr double kFewLanes = 16;
  if (!subject.shows_counters) return "";
  for (const VerdictLaunch* launch : CountedLaunches(subject.answer.verdict)) {
    const AnswerKernel* const kernel = KernelOf(subject.code, *launch);
    const auto lanes = launch->counts->LanesOfRequest();
    if (!Matters(subject, *launch) || !HasLoopsOfTheDefinition(*kernel->plan) || !lanes ||
        *lanes >= kFewLanes) {
      continue;
    }
    const OperatorRow* const row = OperatorCalled(kernel->plan->head);
    const bool transposed = row != nullptr && row->family == OperatorFamily::kTransposedConvolution;
    return FillPlaceholders(transposed ? words.few_lanes_of_strides : words.few_lanes,
                            {{"kernel", kernel->name}, {"lanes", Decimal(*lanes)}});
  }
  return "";
}

// How a kernel that gathers its values needs fewer requests.
std::string GatherAdvice(const ReasoningSubject& subject, double times, const FindingWords& words) {
  constexpr std::int64_t kPack = 4;
  const auto& plans = subject.answer.kernels;
  const auto& outputs = subject.known.facts.outputs;
  const bool packs = outputs.size() == 1 && outputs[0].dtype == "float32" &&
                     !outputs[0].shape.empty() && outputs[0].shape.back() % kPack == 0;
  if (plans.size() != 1 || !plans[0].strategy.starts_with("gather_") || !packs) return "";
  return FillPlaceholders(words.gather,
                          {{"kernel", plans[0].kernels[0]}, {"times", Decimal(times)}});
}

struct WastefulAccess {
  const VerdictLaunch* launch = nullptr;
  GlobalAccess access;
  double wasted = 0;  // The sectors beyond those that it needs.
};

// The accesses that waste sectors, in kernels that matter; those that waste most first.
std::vector<WastefulAccess> WastefulAccesses(const ReasoningSubject& subject) {
  std::vector<WastefulAccess> found;
  for (const VerdictLaunch* launch : CountedLaunches(subject.answer.verdict)) {
    for (const GlobalAccess& access : GlobalAccessesOf(subject, *launch)) {
      if (!IsWasteful(access) || !Matters(subject, *launch)) continue;
      const double needed = 1 / TimesOfFewest(access);
      found.push_back({launch, access, static_cast<double>(access.sectors) * (1 - needed)});
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.wasted > b.wasted; });
  return found;
}

// The advice on the access that wastes most sectors, of those about which there is advice.
std::string WorstAccessAdvice(const ReasoningSubject& subject, const FindingWords& words) {
  for (const WastefulAccess& one : WastefulAccesses(subject)) {
    const std::string advice = AccessAdvice(subject, *one.launch, one.access, words);
    if (!advice.empty()) return advice + PartOfSectors(subject, one.access, words);
  }
  return "";
}

std::string ConflictAdvice(const ReasoningSubject& subject, const FindingWords& words) {
  static const std::regex kPadded(R"(\[\w+ \+ \d+\]$)");
  for (const VerdictLaunch* launch : CountedLaunches(subject.answer.verdict)) {
    const VerdictCounts& counts = *launch->counts;
    const std::int64_t shared = counts.SharedRequests();
    const AnswerKernel* const kernel = KernelOf(subject.code, *launch);
    if (kernel == nullptr || counts.bank_conflicts * 4 <= shared) continue;
    // Arrays that are padded already have their conflicts from another cause.
    const bool padded = std::any_of(
        kernel->facts.shared.begin(), kernel->facts.shared.end(),
        [](const SharedArray& array) { return std::regex_search(array.text, kPadded); });
    if (padded) continue;
    return FillPlaceholders(
        words.pad, {{"kernel", launch->kernel}, {"conflicts", CountText(counts.bank_conflicts)}});
  }
  return "";
}

// How a contraction with few columns, or channels, loads its larger factor once.
std::string NarrowAdvice(const AnswerKernel& kernel, const NarrowResult& narrow,
                         const FindingWords& words) {
  const auto load =
      std::find_if(kernel.facts.loads.begin(), kernel.facts.loads.end(), [&](const auto& one) {
        // The first factor of a product has to be contiguous along k; of a convolution it is the
        // image.
        return !one.shared &&
               (narrow.channels ? one.array != "weight" : one.text.ends_with("+ k]"));
      });
  if (load == kernel.facts.loads.end()) return "";
  SentenceValues values = {{"kernel", kernel.name},
                           {"array", load->array},
                           {"size", std::to_string(narrow.size)},
                           {"side", std::to_string(narrow.side)},
                           {"empty", std::to_string(narrow.side - narrow.size)}};
  if (!narrow.channels) {
    return narrow.side == 0 ? FillPlaceholders(words.narrow_columns, values) : "";
  }
  values.emplace_back("empty_rows",
                      narrow.side > 0 ? FillPlaceholders(words.empty_rows, values) : "");
  return FillPlaceholders(words.narrow_channels, values);
}

// How the contraction that takes most of the time reuses what it loads, where its threads have one
// result each.
std::string ReuseAdvice(const ReasoningSubject& subject, const FindingWords& words) {
  const AnswerKernel* most = nullptr;
  for (const AnswerKernel& kernel : subject.code.kernels) {
    const std::string& strategy = kernel.plan->strategy;
    const bool one_result = strategy == "shared_tile" || HasLoopsOfTheDefinition(*kernel.plan);
    const double share = ShareOf(subject.answer, *kernel.plan);
    if (one_result && share >= kSmallShare &&
        (most == nullptr || share > ShareOf(subject.answer, *most->plan))) {
      most = &kernel;
    }
  }
  if (most == nullptr) return "";
  if (const auto narrow = NarrowResultOf(subject.known.facts, *most->plan)) {
    return NarrowAdvice(*most, *narrow, words);
  }
  return most->plan->strategy == "shared_tile"
             ? FillPlaceholders(words.more_results, {{"kernel", most->name}})
             : FillPlaceholders(words.tile, {{"kernel", most->name}});
}

bool IsTiled(const Candidate& answer) {
  return std::any_of(answer.kernels.begin(), answer.kernels.end(), [](const DesignedKernel& plan) {
    return plan.strategy == "register_tile" || plan.strategy == "split_k";
  });
}

// How a grid gets more blocks, by what the blocks of the kernel divide.
std::string_view BlocksAdvice(const AnswerCode& code, const std::string& kernel,
                              const FindingWords& words) {
  for (const AnswerKernel& one : code.kernels) {
    if (one.name != kernel) continue;
    const std::string_view strategy = one.plan->strategy;
    for (const std::string_view rows :
         {"block_a_row", "tree_a_row", "warp_a_row", "block_of_columns", "thread_a_column"}) {
      if (strategy.starts_with(rows)) return words.split_rows;
    }
    if (strategy == "register_tile" || strategy == "shared_tile") return words.split_products;
  }
  return words.more_blocks;
}

std::string GraphOf(const Candidate& answer) {
  return answer.backend == kMusaBackend.name ? "MUSA graph" : "CUDA graph";
}

// Whether some access of the answer needs more sectors than it has to, by much.
bool WastesSectors(const ReasoningSubject& subject) {
  for (const VerdictLaunch* launch : CountedLaunches(subject.answer.verdict)) {
    const std::vector<GlobalAccess> accesses = GlobalAccessesOf(subject, *launch);
    if (std::any_of(accesses.begin(), accesses.end(), IsWasteful)) return true;
  }
  return false;
}

// With a small first letter, where it has one: it goes on after a colon.
std::string Lowered(std::string text) {
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] += 'a' - 'A';
  return text;
}

}  // namespace

std::vector<std::string> AdviceItems(const ReasoningSubject& subject, PromptLanguage language) {
  const FindingWords& words = FindingWordsIn(language);
  const Candidate& answer = subject.answer;
  const std::int64_t bytes = PlannedBytes(answer);
  const CallLimit limit = LimitOf(answer, &subject.known.facts, subject.Device());
  std::vector<std::string> items;
  const auto add = [&](std::string item) {
    if (!item.empty()) items.push_back(std::move(item));
  };
  const std::string on_access = WorstAccessAdvice(subject, words);
  const std::string on_conflicts = ConflictAdvice(subject, words);
  const std::string reuse = ReuseAdvice(subject, words);
  const double times = TimesOfPlannedBytes(answer);
  const std::int64_t between = bytes - BoundaryBytes(subject.known.task, subject.known.facts);
  const bool much = static_cast<double>(between) > kSmallShare * static_cast<double>(bytes);
  const std::string fuse =
      answer.kernels.size() > 1 && much
          ? FillPlaceholders(words.fuse, {{"bytes", AmountIn(subject, bytes, language)},
                                          {"between", AmountIn(subject, between, language)}})
          : "";
  const bool launches = limit.limit == Limit::kLaunch || limit.limit == Limit::kLaunchAndWork;
  const bool requests = limit.limit == Limit::kCache;
  const bool traffic = requests || (!limit.arithmetic && (limit.limit == Limit::kMemory ||
                                                          limit.limit == Limit::kLaunchAndWork));
  if (limit.limit == Limit::kFewBlocks) {
    add(std::string(BlocksAdvice(subject.code, limit.kernel, words)));
  }
  if (traffic) {
    add(on_access);
    if (subject.shows_counters && reuse.empty() && on_access.empty() && times > kManyTimes) {
      const std::string gather = GatherAdvice(subject, times, words);
      add(gather.empty() ? FillPlaceholders(words.reuse, {{"times", Decimal(times)}}) : gather);
    }
  }
  const bool compute = limit.arithmetic && !launches;
  if (limit.limit != Limit::kLaunch && limit.limit != Limit::kFewBlocks) {
    add(reuse);
    add(LanesAdvice(subject, words));
  }
  if (limit.limit == Limit::kMemory || launches) add(fuse);
  if (traffic || compute || limit.limit == Limit::kShared) add(on_conflicts);
  if (limit.limit == Limit::kCompute && reuse.empty() && !SummingOperator(answer).empty() &&
      IsTiled(answer)) {
    add(std::string(words.tensor_cores));
  }
  if (launches) {
    const std::string graph = GraphOf(answer);
    if (limit.launches > 1) {
      add(FillPlaceholders(
          limit.limit == Limit::kLaunch ? words.fewer_launches : words.save_launches,
          {{"launches", CountText(limit.launches)}, {"graph", graph}}));
    } else if (limit.limit == Limit::kLaunch) {
      const std::string kernel =
          subject.code.kernels.empty() ? limit.kernel : subject.code.kernels[0].name;
      add(FillPlaceholders(words.leave, {{"kernel", kernel}, {"graph", graph}}));
    }
  }
  if (limit.limit == Limit::kLaunch) {
    const std::string& text = on_access.empty() ? on_conflicts : on_access;
    if (!text.empty()) add(FillPlaceholders(words.for_larger, {{"text", Lowered(text)}}));
  }
  return items;
}

std::string WorthText(const ReasoningSubject& subject, PromptLanguage language) {
  const FindingWords& words = FindingWordsIn(language);
  const Candidate& answer = subject.answer;
  const CallLimit limit = LimitOf(answer, &subject.known.facts, subject.Device());
  const KnownDevice& device = subject.Device();
  const CountedWork work = CountedWorkOf(answer.verdict);
  const double moved = LeastTime(0, work.sectors * kSectorBytes, device);
  SentenceValues values = {
      {"time", LeastMicroseconds(PlannedFlops(answer), PlannedBytes(answer), device)},
      {"level", MicrosecondsText(std::max(limit.cache, limit.shared))},
      {"factor", moved > 0 ? Decimal(limit.shared / moved) : ""},
      {"kernel", limit.kernel},
      {"launches", CountText(limit.launches)},
      {"blocks", CountText(limit.blocks)},
      {"multiprocessors", std::to_string(device.multiprocessors)}};
  const auto say = [&](std::string_view pattern) { return FillPlaceholders(pattern, values); };
  switch (limit.limit) {
    case Limit::kLaunch:
      return say(limit.launches == 1 ? words.no_launch : words.no_launches);
    case Limit::kFewBlocks:
      return say(device.multiprocessors > 0 ? words.worth_blocks : words.worth_blocks_of_some);
    case Limit::kCache:
    case Limit::kShared:
      return say(limit.of_smaller_run ? words.worth_shared : words.worth_level);
    case Limit::kCompute:
      if (!limit.poor_reuse) return say(words.worth_arithmetic);
      break;
    case Limit::kLaunchAndWork:
    case Limit::kMemory:
      break;
  }
  if (const std::vector<WastefulAccess> wasteful = WastefulAccesses(subject); !wasteful.empty()) {
    const auto& [launch, access, wasted] = wasteful.front();
    values = {{"kernel", launch->kernel},
              {"what", std::string(access.load ? words.load : words.store)},
              {"factor", Short(TimesOfFewest(access))}};
    return say(words.worth_access);
  }
  if (!ReuseAdvice(subject, words).empty()) return say(words.worth_reuse);
  if (limit.limit == Limit::kLaunchAndWork) return say(words.hardly_launch);
  const double times = TimesOfPlannedBytes(answer);
  return say(times > 0 && times <= kManyTimes ? words.no_memory : words.hardly);
}

std::string AdviceText(const ReasoningSubject& subject, PromptLanguage language) {
  const FindingWords& words = FindingWordsIn(language);
  const std::vector<std::string> items = AdviceItems(subject, language);
  if (items.empty()) {
    const CallLimit limit = LimitOf(subject.answer, &subject.known.facts, subject.Device());
    const bool traffic = !limit.arithmetic &&
                         (limit.limit == Limit::kMemory || limit.limit == Limit::kLaunchAndWork);
    if (WastesSectors(subject)) return std::string(words.no_known_change);
    // Without the totals it is not known how often each tensor is moved.
    if (TimesOfPlannedBytes(subject.answer) <= 0 || !traffic) {
      return std::string(words.not_counted);
    }
    // A launch takes its time whatever it moves.
    const bool bytes = limit.limit == Limit::kMemory;
    return FillPlaceholders(
        words.nothing,
        {{"fewer_bytes", FillPlaceholders(bytes ? words.fewer_bytes : words.launch_left,
                                          {{"graph", GraphOf(subject.answer)}})}});
  }
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    text += (i > 0 ? "\n" : "") + std::to_string(i + 1) + ". " + items[i];
  }
  return text;
}

}  // namespace kernelmill
