// Relations of costs: they hold when the plan of the program, its counters or its estimate give the
// same number for the same quantity.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "generators/grounding/relation_forms.h"
#include "generators/reasoning/alternatives_step.h"
#include "generators/reasoning/call_limit.h"
#include "generators/reasoning/performance_numbers.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/run_figures.h"
#include "generators/reasoning/value_style.h"
#include "generators/wording/number_format.h"

namespace kernelmill {
namespace {

bool Moves(const RelationContext& context, const Slots& slots) {
  const auto flops = slots.find("flops");
  const std::int64_t planned = PlannedFlops(context.candidate);
  return SaysBytes(slots.at("bytes"), PlannedBytes(context.candidate)) &&
         (flops == slots.end() ? planned <= 0 : SaysCount(flops->second, planned));
}

bool IsLargestPart(const RelationContext& context, const Slots& slots) {
  std::int64_t most = 0;
  for (const DesignedKernel& plan : context.candidate.kernels) most = std::max(most, plan.bytes);
  return std::any_of(context.candidate.kernels.begin(), context.candidate.kernels.end(),
                     [&](const DesignedKernel& plan) {
                       return plan.function == slots.at("function") && plan.bytes == most &&
                              SaysBytes(slots.at("bytes"), most);
                     });
}

bool IsEager(const RelationContext& context, const Slots& slots) {
  return SaysBytes(slots.at("bytes"), context.known.facts.bytes);
}

// The summed counters in the words of an optimize row.
std::optional<std::int64_t> CounterNamed(std::string_view name, const Candidate& candidate) {
  const CountedWork work = CountedWorkOf(candidate.verdict);
  if (name == "kernel launches") return work.launches;
  if (name == "requests to global memory") return work.requests;
  if (name == "sectors of global memory") return work.sectors;
  if (name == "bank conflicts") return work.bank_conflicts;
  if (name == "atomics") return work.atomics;
  if (name == "blocks") return work.blocks;
  return std::nullopt;
}

bool CountsBeforeAndAfter(const RelationContext& context, const Slots& slots) {
  if (context.all.size() < 2) return false;
  const auto before = CounterNamed(slots.at("name"), *context.all[1]);
  const auto after = CounterNamed(slots.at("name"), *context.all[0]);
  return before && after && SaysCount(slots.at("before"), *before) &&
         SaysCount(slots.at("after"), *after);
}

// "the sectors of global memory by a factor of 2.0, the atomics to none and …"
bool Reduces(const RelationContext& context, const Slots& slots) {
  if (context.all.size() < 2) return false;
  std::string_view rest = slots.at("reductions");
  while (!rest.empty()) {
    std::size_t end = rest.size(), next = rest.size();
    for (const std::string_view between : {", the ", " and the "}) {
      const std::size_t at = rest.find(between);
      if (at >= end) continue;
      end = at;
      next = at + between.size() - 4;
    }
    const std::string item(rest.substr(0, end));
    rest.remove_prefix(next);
    const auto factor = MatchSentence("the {name} by a factor of {factor}", item);
    const auto none = MatchSentence("the {name} to none", item);
    if (!factor && !none) return false;
    const auto before = CounterNamed((factor ? factor : none)->at("name"), *context.all[1]);
    const auto after = CounterNamed((factor ? factor : none)->at("name"), *context.all[0]);
    if (!before || !after || *after >= *before || (*after == 0) != none.has_value()) return false;
    if (factor && factor->at("factor") !=
                      Decimal(static_cast<double>(*before) / static_cast<double>(*after))) {
      return false;
    }
  }
  return true;
}

bool Rewrites(const RelationContext& context, const Slots& slots) {
  const std::vector<std::string> names = NamesInList(slots.at("kernels"));
  return context.all.size() > 1 && !names.empty() &&
         std::all_of(names.begin(), names.end(), [&](const std::string& name) {
           return std::all_of(context.all.begin(), context.all.begin() + 2, [&](const auto* one) {
             return std::any_of(one->kernels.begin(), one->kernels.end(), [&](const auto& plan) {
               return std::find(plan.kernels.begin(), plan.kernels.end(), name) !=
                      plan.kernels.end();
             });
           });
         });
}

// Whether a count of the program before is larger, and both are said.
template <std::int64_t CountedWork::*field>
bool Falls(const RelationContext& context, const Slots& slots) {
  if (context.all.size() < 2) return false;
  const std::int64_t before = CountedWorkOf(context.all[1]->verdict).*field;
  const std::int64_t after = CountedWorkOf(context.all[0]->verdict).*field;
  return after < before && SaysCount(slots.at("before"), before) &&
         SaysCount(slots.at("after"), after);
}

bool MovesFewer(const RelationContext& context, const Slots& slots) {
  if (context.all.size() < 2) return false;
  const std::int64_t before = PlannedBytes(*context.all[1]);
  const std::int64_t after = PlannedBytes(*context.all[0]);
  return after < before && SaysBytes(slots.at("before"), before) &&
         SaysBytes(slots.at("after"), after);
}

bool IsFaster(const RelationContext& context, const Slots& slots) {
  if (context.all.size() < 2) return false;
  const double before = context.all[1]->estimated_speed, after = context.all[0]->estimated_speed;
  return after > before && slots.at("before") == SpeedText(before) &&
         slots.at("after") == SpeedText(after);
}

// A line of the table of alternatives, about the candidate itself.
bool CostsOf(const Candidate& candidate, const Slots& slots) {
  const std::int64_t counted = CountedWorkOf(candidate.verdict).launches;
  std::int64_t planned = 0;
  for (const DesignedKernel& plan : candidate.kernels) {
    planned += static_cast<std::int64_t>(plan.kernels.size());
  }
  return SaysCount(slots.at("launches"), counted > 0 ? counted : planned) &&
         SaysBytes(slots.at("bytes"), PlannedBytes(candidate)) &&
         SaysCount(slots.at("flops"), PlannedFlops(candidate)) &&
         slots.at("speed") == SpeedText(candidate.estimated_speed);
}

bool CostsAsTold(const RelationContext& context, const Slots& slots) {
  const std::string& design = slots.at("design");
  if (design == "this program") return CostsOf(*context.all[0], slots);
  if (slots.at("speed") == "the reference") {
    return SaysCount(slots.at("launches"), EagerLaunches(context.known.facts)) &&
           SaysBytes(slots.at("bytes"), context.known.facts.bytes) &&
           SaysCount(slots.at("flops"), context.known.facts.flops);
  }
  return std::any_of(context.all.begin() + 1, context.all.end(),
                     [&](const Candidate* other) { return CostsOf(*other, slots); });
}

// Whether the answer and its best alternative are estimated so; `order` compares the two.
template <int order>
bool IsEstimated(const RelationContext& context, const Slots& slots) {
  const auto others = AlternativesTo(*context.all[0], context.known);
  if (others.empty()) return false;
  const double own = context.all[0]->estimated_speed, best = others[0]->candidate.estimated_speed;
  const int is = own > best ? 1 : own < best ? -1 : 0;
  const auto against = slots.find("against");
  return is == order && slots.at("speed") == SpeedText(own) &&
         (against == slots.end() || against->second == SpeedText(best));
}

bool BestIsClearlyFaster(const RelationContext& context) {
  const auto others = AlternativesTo(*context.all[0], context.known);
  return !others.empty() && IsClearlyFaster(others[0]->candidate, *context.all[0]);
}

bool NeedsLess(const RelationContext& context, const Slots& slots) {
  const auto others = AlternativesTo(*context.all[0], context.known);
  if (others.empty()) return false;
  const auto less = CheaperIn(*context.all[0], others[0]->candidate);
  return less && less->what.starts_with(slots.at("what")) &&
         SaysCount(slots.at("own"), less->own) && SaysCount(slots.at("others"), less->others);
}

}  // namespace

bool SaysCount(const std::string& said, std::int64_t number) {
  return said == std::to_string(number) || said == Grouped(number);
}

bool SaysBytes(const std::string& said, std::int64_t bytes) {
  const std::vector<std::string> rounded = RoundedBytes(bytes);
  constexpr std::string_view kUnit = " bytes";
  return std::find(rounded.begin(), rounded.end(), said) != rounded.end() ||
         (said.ends_with(kUnit) && SaysCount(said.substr(0, said.size() - kUnit.size()), bytes));
}

void AddCostRelations(std::vector<RelationForm>* forms) {
  const auto add = [&](std::vector<std::string_view> trigger, std::string_view pattern,
                       auto holds) {
    forms->push_back({std::move(trigger), std::string(pattern), holds});
  };
  const std::vector<std::string_view> moves = {"If each ", " the kernel"};
  for (const std::string_view pattern :
       {"If each tensor is read or written once, the kernel moves {bytes} and does {flops} FLOPs.",
        "If each tensor is read or written once, the kernels move {bytes} and do {flops} FLOPs.",
        "If each tensor is read or written once by each host function, the kernels move {bytes} "
        "and do {flops} FLOPs.",
        "If each host function reads and writes its tensors once, the kernels move {bytes} and do "
        "{flops} FLOPs.",
        "If each tensor is read or written once, the kernel moves {bytes}; there is no arithmetic "
        "to count.",
        "If each tensor is read or written once, the kernels move {bytes}; there is no arithmetic "
        "to count.",
        "If each tensor is read or written once by each host function, the kernels move {bytes}; "
        "there is no arithmetic to count."}) {
    add(moves, pattern, Moves);
  }
  add({"The largest part is"}, "The largest part is `{function}` with {bytes}.", IsLargestPart);
  add({"One kernel per operator"},
      "One kernel per operator, as in eager mode, would move {bytes}, because every intermediate "
      "tensor is written and read again.",
      IsEager);
  add({"The change "}, "The change reduces {reductions}.", Reduces);
  add({"The change "}, "The change rewrites {kernels}.", Rewrites);
  add({"One call launches"},
      "One call launches {before} kernels, and each launch takes several microseconds; the new "
      "program launches {after}.",
      Falls<&CountedWork::launches>);
  add({"It also moves "},
      "It also moves {after} instead of {before}, because fewer intermediate results pass through "
      "global memory.",
      MovesFewer);
  add({"The present program touches"},
      "The present program touches {before} sectors of global memory, the new one {after}.",
      Falls<&CountedWork::sectors>);
  add({"The new program is estimated"},
      "The new program is estimated at {after} times the speed of eager PyTorch, the present one "
      "at {before}.",
      IsFaster);
  for (const std::string_view name :
       {"| kernel launches |", "| requests to global memory |", "| sectors of global memory |",
        "| bank conflicts |", "| atomics |", "| blocks |"}) {
    add({name}, "| {name} | {before} | {after} |", CountsBeforeAndAfter);
  }
  add({"| this program |"}, "| {design} | {launches} | {bytes} | {flops} | {speed} |", CostsAsTold);
  add({" | the reference |"}, "| {design} | {launches} | {bytes} | {flops} | {speed} |",
      CostsAsTold);
  const std::vector<std::string_view> estimated = {"times the speed of eager"};
  add(estimated,
      "I choose {design}, which is estimated at {speed} times the speed of eager PyTorch; the best "
      "alternative, {other}, is estimated at {against}.",
      IsEstimated<1>);
  add(estimated, "The program is estimated at {speed} times the speed of eager PyTorch.",
      [](const RelationContext& context, const Slots& slots) {
        return slots.at("speed") == SpeedText(context.candidate.estimated_speed);
      });
  add(estimated,
      "The correction keeps the design, which is estimated at {speed} times the speed of eager "
      "PyTorch: to be faster, the program needs another design as well.",
      [](const RelationContext& context, const Slots& slots) {
        return context.candidate.bug.empty() &&
               slots.at("speed") == SpeedText(context.candidate.estimated_speed);
      });
  add(estimated, "Both are estimated at {speed} times the speed of eager PyTorch.", IsEstimated<0>);
  add(estimated,
      "Both are estimated at {speed} times the speed of eager PyTorch, because at these sizes the "
      "launch takes longer than the work.",
      [](const RelationContext& context, const Slots& slots) {
        return IsEstimated<0>(context, slots) &&
               LimitOf(*context.all[0], &context.known.facts, context.device).limit ==
                   Limit::kLaunch;
      });
  add({"; the alternative, "},
      "I choose {design}, which needs {own} {what}; the alternative, {other}, needs {others}.",
      NeedsLess);
  add(estimated,
      "This program uses {design}, which is estimated at {speed} times the speed of eager PyTorch; "
      "the best alternative, {other}, is estimated higher, at {against}, so that is the one to "
      "take where time matters.",
      [](const RelationContext& context, const Slots& slots) {
        return IsEstimated<-1>(context, slots) && BestIsClearlyFaster(context);
      });
  add(estimated,
      "This program uses {design}, which is estimated at {speed} times the speed of eager PyTorch; "
      "the best alternative, {other}, is estimated at {against}, a difference that the estimates "
      "cannot tell from none.",
      [](const RelationContext& context, const Slots& slots) {
        return IsEstimated<-1>(context, slots) && !BestIsClearlyFaster(context);
      });
}

}  // namespace kernelmill
