#include <algorithm>
#include <tuple>

#include "generators/prompts/figure_lines.h"
#include "generators/prompts/write_prompt.h"
#include "generators/reasoning/call_limit.h"
#include "generators/reasoning/global_accesses.h"
#include "generators/reasoning/performance_findings.h"
#include "generators/reasoning/performance_numbers.h"
#include "generators/reasoning/reasoning.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/reduced_rows.h"
#include "generators/reasoning/result_tiles.h"
#include "generators/reasoning/run_figures.h"
#include "generators/reasoning/strategy_alternatives.h"
#include "generators/task_rows/row_writers.h"
#include "generators/wording/fenced_code.h"

namespace kernelmill {
namespace {

// The definition of the kernel, up to its closing brace.
std::string_view TextOf(const AnswerCode& code, const AnswerKernel& kernel) {
  std::size_t start = 0;
  for (std::int64_t line = 1; line < kernel.line; ++line) start = code.native.find('\n', start) + 1;
  const std::size_t end = code.native.find("\n}\n", start);
  return std::string_view(code.native).substr(start, end == std::string::npos ? end : end - start);
}

// The kernels of `code` that `other` does not contain in the same form.
std::vector<std::string> KernelsOnlyIn(const AnswerCode& code, const AnswerCode& other) {
  std::vector<std::string> names;
  for (const AnswerKernel& kernel : code.kernels) {
    const bool there =
        std::any_of(other.kernels.begin(), other.kernels.end(), [&](const AnswerKernel& item) {
          return item.name == kernel.name && TextOf(other, item) == TextOf(code, kernel) &&
                 item.plan->grid == kernel.plan->grid && item.plan->threads == kernel.plan->threads;
        });
    if (!there) names.push_back(kernel.name);
  }
  return names;
}

// A counter before and after the change.
struct Counter {
  std::string_view name;
  std::int64_t before = 0, after = 0;
};

std::vector<Counter> CountersOf(const CountedWork& before, const CountedWork& after) {
  std::vector<Counter> counters = {{"kernel launches", before.launches, after.launches},
                                   {"requests to global memory", before.requests, after.requests},
                                   {"sectors of global memory", before.sectors, after.sectors},
                                   {"blocks", before.blocks, after.blocks},
                                   {"bank conflicts", before.bank_conflicts, after.bank_conflicts},
                                   {"atomics", before.atomics, after.atomics}};
  std::erase_if(counters, [](const Counter& one) { return one.before == 0 && one.after == 0; });
  return counters;
}

// The counters of one call in words: "1 kernel launch, 20 requests to global memory and …".
std::string TotalsSentence(const CountedWork& work) {
  std::vector<std::string> items;
  for (const Counter& counter : CountersOf(work, work)) {
    if (counter.name == "blocks") continue;  // Those of each kernel are among its figures.
    items.push_back(std::string(counter.name) + ": " + CountText(counter.before));
  }
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return "All kernels together: " + text + ".";
}

// The counters of the new program beside those that the question shows, and what they amount to.
std::string CounterTable(const KnownCandidate& before, const KnownCandidate& after) {
  // The number of parts of a split depends on the sizes, and so do the counters.
  const bool split = IsSplit(before.candidate) || IsSplit(after.candidate);
  if (split && !before.candidate.verdict.sizes.empty()) return "";
  std::string table =
      "A run of the new program on the same inputs counts:\n\n| | before | after |\n| --- | --- | "
      "--- |\n";
  std::vector<std::string> falls;
  for (const Counter& counter : CountersOf(CountedWorkOf(before.candidate.verdict),
                                           CountedWorkOf(after.candidate.verdict))) {
    table += "| " + std::string(counter.name) + " | " + CountText(counter.before) + " | " +
             CountText(counter.after) + " |\n";
    // Fewer blocks or requests are no gain of their own.
    if (counter.after >= counter.before || counter.name == "blocks" ||
        counter.name == "requests to global memory") {
      continue;
    }
    falls.push_back("the " + std::string(counter.name) +
                    (counter.after == 0
                         ? " to none"
                         : " by a factor of " + Decimal(static_cast<double>(counter.before) /
                                                        static_cast<double>(counter.after))));
  }
  return falls.empty() ? table.substr(0, table.size() - 1)
                       : table + "\nThe change reduces " + Listed(falls) + ".";
}

// The kernels that are replaced, rewritten and kept.
std::string Differences(const AnswerCode& old_code, const AnswerCode& new_code) {
  std::vector<std::string> gone = KernelsOnlyIn(old_code, new_code);
  std::vector<std::string> come = KernelsOnlyIn(new_code, old_code), kept, rewritten;
  for (const AnswerKernel& kernel : new_code.kernels) {
    if (std::find(come.begin(), come.end(), kernel.name) == come.end()) {
      kept.push_back(kernel.name);
    } else if (std::erase(gone, kernel.name) > 0) {
      std::erase(come, kernel.name);
      rewritten.push_back(kernel.name);
    }
  }
  std::string text;
  const auto add = [&](const std::string& sentence) {
    text += (text.empty() ? "" : " ") + sentence;
  };
  if (!rewritten.empty()) add("The change rewrites " + CodeList(rewritten) + ".");
  if (rewritten.empty() && !come.empty() && gone.empty()) return "";
  if (!gone.empty() && !come.empty()) {
    add(CodeList(come) + (come.size() == 1 ? " replaces " : " replace ") + CodeList(gone) + ".");
  }
  if (gone.empty() && !come.empty()) add("It adds " + CodeList(come) + ".");
  if (!kept.empty()) {
    add(CodeList(kept) + (kept.size() == 1 ? " stays as it is." : " stay as they are."));
  }
  return text;
}

// How the new kernels divide the work, and why.
std::string NewMapping(const KnownTask& known, const KnownCandidate& after,
                       const AnswerCode& old_code, const AnswerCode& new_code,
                       const Wording& wording) {
  const std::vector<std::string> come = KernelsOnlyIn(new_code, old_code);
  Candidate changed = after.candidate;
  std::erase_if(changed.kernels, [&](const DesignedKernel& plan) {
    return std::none_of(plan.kernels.begin(), plan.kernels.end(), [&](const std::string& name) {
      return std::find(come.begin(), come.end(), name) != come.end();
    });
  });
  const AnswerCode code = ReadAnswerCode(changed);
  const ReasoningSubject subject = {known, changed, code, wording, 2};
  const std::string mapping = MappingStep(subject), choices = ChoiceStep(subject);
  return mapping + (mapping.empty() || choices.empty() ? "" : "\n\n") + choices;
}

// "One uses a, the other one b", for the first call whose design differs.
std::string DesignsOf(const Candidate& before, const Candidate& after) {
  for (const DesignedKernel& plan : before.kernels) {
    for (const DesignedKernel& other : after.kernels) {
      if (other.function != plan.function || other.strategy == plan.strategy) continue;
      return "In the present program, " + CodeList(plan.kernels) +
             (plan.kernels.size() == 1 ? " uses " : " use ") + DesignInWords(plan.strategy) +
             "; the new program uses " + DesignInWords(other.strategy) + ".";
    }
  }
  return "";
}

std::string BlocksText(std::int64_t blocks) {
  return CountText(blocks) + (blocks == 1 ? " block" : " blocks");
}

// The plan of `answer` with the function of `plan`; null without one.
const DesignedKernel* PlanLike(const Candidate& answer, const DesignedKernel& plan) {
  for (const DesignedKernel& other : answer.kernels) {
    if (other.function == plan.function) return &other;
  }
  return nullptr;
}

// The plan of `before` that loses most: of those whose design changes, the one that takes longest.
const DesignedKernel* SlowestChanged(const Candidate& before, const Candidate& after) {
  const KnownDevice& device = KnownDeviceOf(before.backend);
  const DesignedKernel* most = nullptr;
  double longest = -1;
  for (const DesignedKernel& plan : before.kernels) {
    const DesignedKernel* const now = PlanLike(after, plan);
    if (now == nullptr || now->strategy == plan.strategy) continue;
    // A grid that is divided anew was the loss, whatever the others take.
    const double time = LeastTime(plan.flops, plan.bytes, device) + (IsSplit(*now) ? 1e9 : 0);
    if (time > longest) {
      longest = time;
      most = &plan;
    }
  }
  return most;
}

// Why the changed kernel is slow at the task's sizes, and what the new design has instead.
std::string WhatCostsTime(const KnownTask& known, const Candidate& before, const Candidate& after) {
  const DesignedKernel* const plan = SlowestChanged(before, after);
  if (plan == nullptr || plan->kernels.empty()) return "";
  const DesignedKernel& now = *PlanLike(after, *plan);
  const std::int64_t multiprocessors = KnownDeviceOf(before.backend).multiprocessors;
  std::int64_t blocks = BlocksOfReduction(known.facts, *plan);
  if (blocks == 0 && IsSplit(now)) {
    const auto tiles = ResultTilesOf(known.task, known.facts, *plan);
    if (tiles) blocks = tiles->Count();
  }
  std::string text;
  if (blocks > 0 && IsSplit(now) && !IsSplit(*plan)) {
    text =
        "`" + plan->kernels[0] + "` costs most time: at the task's sizes it starts " +
        BlocksText(blocks) +
        (multiprocessors > blocks
             ? " for the " + std::to_string(multiprocessors) + " multiprocessors of an A100, so " +
                   std::to_string(multiprocessors - blocks) + " of them have nothing to do"
             : ", too few to fill a device") +
        ", and each thread waits for its own loads.";
    if (const auto grid = SplitGridOf(known.task, known.facts, now, after.code)) {
      text += " The new program divides the length into " + std::to_string(grid->parts) +
              " parts, so that " + BlocksText(grid->groups * grid->parts) + " run; `" +
              now.kernels.back() + "` then merges " + std::to_string(grid->parts) +
              " partial results per " +
              (now.strategy.starts_with("blocks_a_row") ? "row" : "column") + ".";
    }
    return text;
  }
  const bool one_result = plan->strategy == "shared_tile" || HasLoopsOfTheDefinition(*plan);
  if (one_result && now.strategy == "register_tile") {
    return "`" + plan->kernels[0] +
           "` costs most time: a thread computes one result, so every "
           "multiply-add needs two loads" +
           (plan->strategy == "shared_tile" ? " from shared memory" : "") +
           ". In the new program a thread keeps several results in registers, and each loaded "
           "value "
           "serves all of a row or column of them.";
  }
  return "";
}

// Why the result is still below eager PyTorch, and what a faster design would need.
std::string WhatIsLeft(const Candidate& after) {
  constexpr double kClearlySlower = 0.9;
  if (after.estimated_speed <= 0 || after.estimated_speed >= kClearlySlower) return "";
  for (const DesignedKernel& plan : after.kernels) {
    if (!IsSplit(plan)) continue;
    const auto again = LoadedAgain(ReadAnswerCode(after));
    std::string text =
        "That is still below eager PyTorch, because the second kernel is a further launch and "
        "every "
        "thread still loads single elements";
    if (again) {
      text += ", and because `" + again->second + "` loads `" + again->array + "` again, which `" +
              again->first + "` has read";
    }
    return text +
           ". A faster design would load several neighbouring columns per thread with one "
           "instruction" +
           (again ? ", and keep what fits of `" + again->array + "` on the chip between its passes."
                  : ", so that more bytes are on their way at a time.");
  }
  for (const DesignedKernel& plan : after.kernels) {
    if (plan.strategy != "register_tile" && plan.strategy != "shared_tile") continue;
    return "That is still below eager PyTorch, whose library has products tuned for each size; a "
           "faster "
           "design would need larger tiles with prefetched loads, or tensor cores where the "
           "precision allows.";
  }
  return "";
}

// What costs time in the present program, and what the new one does about it.
std::string Finding(Gain gain, const KnownCandidate& before, const KnownCandidate& after,
                    const KnownTask& known, const AnswerCode& old_code, const Wording& wording) {
  const ReasoningSubject subject = {known, before.candidate, old_code, wording, 2};
  const ValueStyle style = subject.Style();
  const CountedWork was = CountedWorkOf(before.candidate.verdict);
  const CountedWork is = CountedWorkOf(after.candidate.verdict);
  const std::int64_t old_bytes = PlannedBytes(before.candidate);
  const std::int64_t new_bytes = PlannedBytes(after.candidate);
  const bool launch_bound =
      old_bytes > 0 && LimitOf(before.candidate, &known.facts).limit == Limit::kLaunch;
  const std::string counters = CountersText(subject, PromptLanguage::kEnglish);
  std::string text;
  if (gain == Gain::kLaunches) {
    text = "One call launches " + CountText(was.launches) +
           " kernels, and each launch takes several microseconds; the new program launches " +
           CountText(is.launches) + ".";
    if (new_bytes < old_bytes) {
      text += " It also moves " + style.Bytes(new_bytes) + " instead of " + style.Bytes(old_bytes) +
              ", because fewer intermediate results pass through global memory.";
    }
    return text;
  }
  if (gain == Gain::kSectors) {
    text = "The present program touches " + CountText(was.sectors) +
           " sectors of global memory, the new one " + CountText(is.sectors) + ".";
    if (launch_bound) {
      text +=
          " At these sizes launch latency limits the call, so the difference shows only with "
          "larger inputs.";
    }
  } else {
    // What the counters of a design with other costs say is not why it is slower.
    text = WhatCostsTime(known, before.candidate, after.candidate);
    if (text.empty()) text = DesignsOf(before.candidate, after.candidate);
    text += (text.empty() ? "" : " ") + std::string("The new program is estimated at ") +
            SpeedText(after.candidate.estimated_speed) +
            " times the speed of eager PyTorch, the present one at " +
            SpeedText(before.candidate.estimated_speed) +
            ". The estimates come from the peak rates of a GPU and from measurements of such "
            "kernels.";
    const std::string left = WhatIsLeft(after.candidate);
    return text + (left.empty() ? "" : " ") + left;
  }
  return text + (counters.empty() ? "" : "\n\nThe figures of the present program:\n\n" + counters);
}

std::string Comparison(Gain gain, const KnownCandidate& before, const KnownCandidate& after,
                       const KnownTask& known, const Wording& wording) {
  const AnswerCode old_code = ReadAnswerCode(before.candidate);
  const AnswerCode new_code = ReadAnswerCode(after.candidate);
  std::string text;
  for (const std::string& part :
       {Finding(gain, before, after, known, old_code, wording), Differences(old_code, new_code),
        NewMapping(known, after, old_code, new_code, wording), CounterTable(before, after)}) {
    if (!part.empty()) text += (text.empty() ? "" : "\n\n") + part;
  }
  return text;
}

}  // namespace

// For each answer that another one of its backend beats in something that costs time, a row with
// the best of them.
void WriteOptimizeRows(const KnownTask& known, std::vector<WrittenRow>* rows) {
  std::vector<WrittenRow> written;
  for (const KnownCandidate& before : known.candidates) {
    if (!before.candidate.IsAnswer()) continue;
    const KnownCandidate* best = nullptr;
    const auto costs = [](const KnownCandidate& item) {
      const CountedWork work = CountedWorkOf(item.candidate.verdict);
      return std::tuple(-item.candidate.estimated_speed, work.launches, work.sectors,
                        work.requests);
    };
    for (const KnownCandidate& after : known.candidates) {
      if (!after.candidate.IsTaught() || after.candidate.backend != before.candidate.backend ||
          GainOf(after.candidate, before.candidate) == Gain::kNone) {
        continue;
      }
      if (best == nullptr || costs(after) < costs(*best)) best = &after;
    }
    if (best == nullptr) continue;
    const Gain gain = GainOf(best->candidate, before.candidate);
    const Wording wording = known.WordingFor(before.id, Family::kOptimize);
    WrittenRow row = NewRow(known, *best, Family::kOptimize);
    if (gain != Gain::kSpeed) row.training.perf_evidence = "counted";
    row.training.reasoning = kReasoningPlan;
    row.training.reasoning_author = kReasonedByRule;
    SentenceWriter writer(wording, "figure lines");
    const Prompt prompt = WritePrompt(
        {.family = Family::kOptimize,
         .backend = before.candidate.backend,
         .reasoning = kReasoningPlan,
         .facts = {{"gpu", GpuInWords(KnownDeviceOf(before.candidate.backend))},
                   {"code", Fenced("python", before.candidate.code)},
                   {"goal", std::string(gain == Gain::kLaunches  ? "one call needs fewer launches"
                                        : gain == Gain::kSectors ? "one call causes less memory "
                                                                   "traffic"
                                                                 : "one call takes less time")},
                   {"complaint", std::string(gain == Gain::kLaunches  ? "needs too many launches"
                                             : gain == Gain::kSectors ? "needs too much memory "
                                                                        "traffic"
                                                                      : "takes too long")},
                   {"figures", FigureLines(before.candidate.verdict, &writer) + "\n" +
                                   TotalsSentence(CountedWorkOf(before.candidate.verdict))}}},
        known, wording);
    row.training.prompt_template = prompt.name;
    row.inputs.push_back(before.id);
    FinishRow(known, best->candidate, prompt,
              Comparison(gain, before, *best, known, wording) + "\n\n" +
                  Fenced("python", best->candidate.code),
              &row);
    written.push_back(std::move(row));
  }
  for (WrittenRow& row : written) {
    row.weight = 1.0 / static_cast<double>(written.size());
    rows->push_back(std::move(row));
  }
}

}  // namespace kernelmill
