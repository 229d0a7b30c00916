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
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

constexpr double kManyTimes = 2;

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

// That another kernel of the call loads the array badly, too.
std::string SameLayout(const ReasoningSubject& subject, const AnswerKernel& kernel,
                       const std::string& array, const FindingWords& words) {
  for (const VerdictLaunch* launch : CountedLaunches(subject.answer.verdict)) {
    const AnswerKernel* const other = KernelOf(subject.code, *launch);
    if (other == nullptr || other == &kernel || other->plan != kernel.plan) continue;
    for (const GlobalAccess& access : GlobalAccessesOf(subject, *launch)) {
      if (access.load && IsWasteful(access) && access.arrays == std::vector{array}) {
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
      return FillPlaceholders(words.lay_out, values) + SameLayout(subject, *kernel, array, words);
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

// The advice on the access of the kernel with the most traffic that wastes sectors.
std::string WorstAccessAdvice(const ReasoningSubject& subject, const FindingWords& words) {
  for (const VerdictLaunch* launch : CountedLaunches(subject.answer.verdict)) {
    for (const GlobalAccess& access : GlobalAccessesOf(subject, *launch)) {
      if (!IsWasteful(access)) continue;
      std::string advice = AccessAdvice(subject, *launch, access, words);
      if (!advice.empty()) return advice;
    }
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

// How a contraction with one result per thread reuses what it loads.
std::string ReuseAdvice(const ReasoningSubject& subject, const FindingWords& words) {
  for (const AnswerKernel& kernel : subject.code.kernels) {
    const std::string& strategy = kernel.plan->strategy;
    if (strategy == "shared_tile") {
      return FillPlaceholders(words.more_results, {{"kernel", kernel.name}});
    }
    if (strategy == "loops_of_the_definition") return std::string(words.tile);
  }
  return "";
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
  const CallLimit limit = LimitOf(answer, &subject.known.facts);
  std::vector<std::string> items;
  const auto add = [&](std::string item) {
    if (!item.empty()) items.push_back(std::move(item));
  };
  const std::string on_access = WorstAccessAdvice(subject, words);
  const std::string on_conflicts = ConflictAdvice(subject, words);
  const std::string reuse = ReuseAdvice(subject, words);
  const double times = TimesOfPlannedBytes(answer);
  const bool wasteful = WastesSectors(subject);
  const std::int64_t between = bytes - BoundaryBytes(subject.known.task, subject.known.facts);
  const std::string fuse =
      answer.kernels.size() > 1 && between > 0
          ? FillPlaceholders(words.fuse, {{"bytes", AmountIn(subject, bytes, language)},
                                          {"between", AmountIn(subject, between, language)}})
          : "";
  const bool launches = limit.limit == Limit::kLaunch || limit.limit == Limit::kLaunchAndWork;
  const bool traffic =
      !limit.arithmetic && (limit.limit == Limit::kMemory || limit.limit == Limit::kLaunchAndWork);
  if (limit.limit == Limit::kFewBlocks) {
    add(std::string(BlocksAdvice(subject.code, limit.kernel, words)));
  }
  if (traffic) {
    add(on_access);
    if (reuse.empty() && !wasteful && times > kManyTimes) {
      add(FillPlaceholders(words.reuse, {{"times", Decimal(times)}}));
    }
  }
  const bool compute = limit.arithmetic && !launches;
  if (limit.limit != Limit::kLaunch && limit.limit != Limit::kFewBlocks) add(reuse);
  if (limit.limit == Limit::kMemory || launches) add(fuse);
  if (traffic || compute) add(on_conflicts);
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

std::string AdviceText(const ReasoningSubject& subject, PromptLanguage language) {
  const FindingWords& words = FindingWordsIn(language);
  const std::vector<std::string> items = AdviceItems(subject, language);
  if (items.empty()) {
    const CallLimit limit = LimitOf(subject.answer, &subject.known.facts);
    const bool traffic = !limit.arithmetic &&
                         (limit.limit == Limit::kMemory || limit.limit == Limit::kLaunchAndWork);
    // Without the totals it is not known how often each tensor is moved.
    if (TimesOfPlannedBytes(subject.answer) <= 0 || !traffic || WastesSectors(subject)) {
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
