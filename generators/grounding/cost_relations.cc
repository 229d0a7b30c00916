// Relations of costs: they hold when the plan of the program, its counters or its estimate give the
// same number for the same quantity.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "generators/grounding/relation_forms.h"
#include "generators/reasoning/alternatives_step.h"
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

bool IsIntensity(const RelationContext& context, const Slots& slots) {
  return slots.at("ratio") ==
         IntensityText(PlannedFlops(context.candidate), PlannedBytes(context.candidate));
}

template <Bound bound>
bool IsBound(const RelationContext& context, const Slots&) {
  const std::int64_t bytes = PlannedBytes(context.candidate);
  return bytes > 0 && BoundOf(PlannedFlops(context.candidate), bytes) == bound;
}

bool TakesAtLeast(const RelationContext& context, const Slots& slots) {
  const KnownDevice& device = KnownDeviceOf(context.candidate.backend);
  return slots.at("device") == device.name &&
         slots.at("time") == LeastMicroseconds(PlannedFlops(context.candidate),
                                               PlannedBytes(context.candidate), device);
}

template <typename Test>
bool AnyLaunch(const RelationContext& context, Test test) {
  const auto& launches = context.candidate.verdict.launches;
  return std::any_of(launches.begin(), launches.end(), [&](const VerdictLaunch& launch) {
    return (context.kernels.empty() || launch.kernel == context.kernels[0]) && test(launch);
  });
}

// How the sectors of a request compare with those of coalesced accesses.
enum class Coalescing { kNot, kNearly, kFully, kFewer };

template <Coalescing how>
bool Touches(const RelationContext& context, const Slots& slots) {
  const double fewest = std::atof(slots.at("fewest").c_str());
  const bool loads = slots.at("what") == "load";
  if (const auto places = slots.find("plural");
      places != slots.end() && places->second != slots.at("what")) {
    return false;
  }
  return AnyLaunch(context, [&](const VerdictLaunch& launch) {
    if (!launch.counts || fewest <= 0) return false;
    const std::int64_t requests =
        loads ? launch.counts->global_load_requests : launch.counts->global_store_requests;
    const std::int64_t sectors =
        loads ? launch.counts->global_load_sectors : launch.counts->global_store_sectors;
    if (requests <= 0) return false;
    const double ratio = static_cast<double>(sectors) / static_cast<double>(requests);
    const Coalescing is = ratio > kUncoalesced * fewest ? Coalescing::kNot
                          : ratio > kCoalesced * fewest ? Coalescing::kNearly
                          : ratio < fewest / kCoalesced ? Coalescing::kFewer
                                                        : Coalescing::kFully;
    const auto again = slots.find("again");
    return Decimal(ratio) == slots.at("ratio") && is == how &&
           (again == slots.end() || again->second == slots.at("fewest"));
  });
}

bool HasOccupancy(const RelationContext& context, const Slots& slots) {
  const bool said_low = slots.at("judgement").find("few warps") != std::string::npos;
  return AnyLaunch(context, [&](const VerdictLaunch& launch) {
    if (!launch.occupancy || said_low != (*launch.occupancy < kLowOccupancy)) return false;
    char percent[16];
    std::snprintf(percent, sizeof percent, "%.0f", *launch.occupancy * 100);
    const auto registers = slots.find("registers");
    const auto* const device = DeviceFiguresOf(context.candidate.verdict, launch.kernel);
    return slots.at("percent") == percent &&
           (registers == slots.end() ||
            (device != nullptr && registers->second == std::to_string(device->registers)));
  });
}

bool HasConflicts(const RelationContext& context, const Slots& slots) {
  return AnyLaunch(context, [&](const VerdictLaunch& launch) {
    return launch.counts && SaysCount(slots.at("conflicts"), launch.counts->bank_conflicts) &&
           SaysCount(slots.at("requests"),
                   launch.counts->shared_load_requests + launch.counts->shared_store_requests);
  });
}

bool HasNoConflicts(const RelationContext& context, const Slots&) {
  return AnyLaunch(context, [](const VerdictLaunch& launch) {
    return launch.counts && launch.counts->bank_conflicts == 0;
  });
}

bool Spills(const RelationContext& context, const Slots& slots) {
  return AnyLaunch(context, [&](const VerdictLaunch& launch) {
    const auto* const device = DeviceFiguresOf(context.candidate.verdict, launch.kernel);
    return device != nullptr && SaysCount(slots.at("bytes"), device->spills);
  });
}

// The summed counters in the words of an optimize row.
std::optional<std::int64_t> CounterNamed(std::string_view name, const Candidate& candidate) {
  const CountedWork work = CountedWorkOf(candidate.verdict);
  if (name == "kernel launches") return work.launches;
  if (name == "requests to global memory") return work.requests;
  if (name == "sectors of global memory") return work.sectors;
  if (name == "bank conflicts") return work.bank_conflicts;
  if (name == "atomics") return work.atomics;
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

bool LaunchesBefore(const RelationContext& context, const Slots& slots) {
  return context.all.size() > 1 &&
         SaysCount(slots.at("launches"), CountedWorkOf(context.all[1]->verdict).launches);
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

bool NeedsLess(const RelationContext& context, const Slots& slots) {
  const auto others = AlternativesTo(*context.all[0], context.known);
  if (others.empty()) return false;
  const auto less = CheaperIn(*context.all[0], others[0]->candidate);
  return less && less->what.starts_with(slots.at("what")) && SaysCount(slots.at("own"), less->own) &&
         SaysCount(slots.at("others"), less->others);
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
                       auto holds) { forms->push_back({std::move(trigger), std::string(pattern), holds}); };
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
  add({"arithmetic intensity is"}, "The arithmetic intensity is {ratio} FLOPs per byte.",
      IsIntensity);
  const std::vector<std::string_view> ridge = {"the ridge point"};
  add(ridge,
      "This is below the ridge point of every current GPU, so memory bandwidth is the limit: "
      "fewer bytes and coalesced accesses matter, and the arithmetic is nearly free.",
      IsBound<Bound::kMemory>);
  add(ridge,
      "This is above the ridge point of current GPUs without tensor cores, so arithmetic is the "
      "limit, provided that loaded values are reused from registers and shared memory.",
      IsBound<Bound::kCompute>);
  add(ridge,
      "This is near the ridge point of current GPUs: whether memory or arithmetic is the limit "
      "depends on the device.",
      IsBound<Bound::kEither>);
  add({"this takes at"}, "On an {device} this takes at least {time} µs.", TakesAtLeast);
  const std::vector<std::string_view> touches = {" request touches "};
  add(touches,
      "A {what} request touches {ratio} sectors on average, where 32 lanes that access "
      "neighbouring places of {again} bytes need {fewest} sectors: the {plural}s are not "
      "coalesced.",
      Touches<Coalescing::kNot>);
  add(touches,
      "A {what} request touches {ratio} sectors on average, slightly more than the {fewest} "
      "sectors of coalesced accesses of {again} bytes per lane.",
      Touches<Coalescing::kNearly>);
  add(touches,
      "A {what} request touches {ratio} sectors on average, fewer than the {fewest} sectors of 32 "
      "lanes with {again} bytes each, because lanes share addresses or not all lanes are active.",
      Touches<Coalescing::kFewer>);
  add(touches,
      "A {what} request touches {ratio} sectors on average, which is what 32 lanes with {fewest} "
      "bytes each need: the {plural}s are coalesced.",
      Touches<Coalescing::kFully>);
  const std::vector<std::string_view> occupancy = {"The occupancy is"};
  add(occupancy, "The occupancy is {percent} % with {registers} registers per thread, {judgement}.",
      HasOccupancy);
  add(occupancy, "The occupancy is {percent} %, {judgement}.", HasOccupancy);
  add({"are bank conflicts"},
      "{conflicts} extra passes through shared memory are bank conflicts, on top of {requests} "
      "requests.",
      HasConflicts);
  add({"without bank conflicts"}, "Shared memory is accessed without bank conflicts.",
      HasNoConflicts);
  add({"The compiler spills"},
      "The compiler spills {bytes} bytes of registers to local memory, which adds traffic.",
      Spills);
  add({"The change "}, "The change reduces {reductions}.", Reduces);
  add({"The change "}, "The change rewrites {kernels}.", Rewrites);
  add({"One call launches"}, "One call launches {launches} kernels.", LaunchesBefore);
  for (const std::string_view name :
       {"| kernel launches |", "| requests to global memory |", "| sectors of global memory |",
        "| bank conflicts |", "| atomics |"}) {
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
  add(estimated, "Both are estimated at {speed} times the speed of eager PyTorch.", IsEstimated<0>);
  add({"; the alternative, "},
      "I choose {design}, which needs {own} {what}; the alternative, {other}, needs {others}.",
      NeedsLess);
  add(estimated,
      "This program uses {design}, which is estimated at {speed} times the speed of eager PyTorch.",
      IsEstimated<-1>);
  add({"The estimate of the best"},
      "The estimate of the best alternative, {other}, is higher, at {against}.",
      [](const RelationContext& context, const Slots& slots) {
        const auto others = AlternativesTo(*context.all[0], context.known);
        return !others.empty() &&
               slots.at("against") == SpeedText(others[0]->candidate.estimated_speed) &&
               others[0]->candidate.estimated_speed > context.all[0]->estimated_speed;
      });
}

}  // namespace kernelmill
