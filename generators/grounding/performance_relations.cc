// Relations of the analyses of performance: what limits a call, how the accesses of a kernel use
// sectors, and how the grid fills the device. Each is compared with what the plan, the counters and
// the source of the program give.
#include <algorithm>
#include <cstdio>

#include "generators/grounding/launch_relations.h"
#include "generators/grounding/relation_forms.h"
#include "generators/reasoning/call_limit.h"
#include "generators/reasoning/copying_functions.h"
#include "generators/reasoning/global_accesses.h"
#include "generators/reasoning/performance_numbers.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/run_figures.h"

namespace kernelmill {
namespace {

// Whether the host function copies an input, or else a view.
template <bool of_input>
bool Copies(const RelationContext& context, const Slots& slots) {
  const auto copying = CopyingFunctions(context.candidate, context.known.task, context.known.facts);
  return std::any_of(copying.begin(), copying.end(), [&](const CopyingFunction& one) {
    return one.name == slots.at("function") && one.of_input == of_input;
  });
}

bool CopyMoves(const RelationContext& context, const Slots& slots) {
  const auto copying = CopyingFunctions(context.candidate, context.known.task, context.known.facts);
  return std::any_of(copying.begin(), copying.end(), [&](const CopyingFunction& one) {
    return SaysBytes(slots.at("bytes"), one.bytes);
  });
}

// With or without its peak rates.
bool IsDevice(const Slots& slots, const KnownDevice& device) {
  const std::string name(device.name);
  return Says(slots, "device", name) ||
         Says(slots, "device", name + " (" + std::string(device.peaks) + ")");
}

bool TakesAtLeast(const RelationContext& context, const Slots& slots) {
  const KnownDevice& device = context.device;
  return IsDevice(slots, device) &&
         Says(slots, "time",
              LeastMicroseconds(PlannedFlops(context.candidate), PlannedBytes(context.candidate),
                                device));
}

// Whatever the number of launches.
template <Limit limit>
bool HasLimit(const RelationContext& context, const Slots& slots) {
  return PlannedBytes(context.candidate) > 0 &&
         LimitOf(context.candidate, &context.known.facts, context.device).limit == limit &&
         TakesAtLeast(context, slots);
}

template <Limit limit>
bool IsLimit(const RelationContext& context, const Slots& slots) {
  if (!HasLimit<limit>(context, slots)) return false;
  const CallLimit is = LimitOf(context.candidate, &context.known.facts, context.device);
  const bool says_launches = slots.find("launches") != slots.end();
  return (limit == Limit::kFewBlocks || says_launches == (is.launches > 1)) &&
         SaysNumber(slots, "launches", is.launches) && Says(slots, "kernel", is.kernel) &&
         SaysNumber(slots, "blocks", is.blocks) &&
         SaysNumber(slots, "multiprocessors", context.device.multiprocessors);
}

bool SaysRidge(const RelationContext& context, const Slots& slots) {
  const KnownDevice& device = context.device;
  return IsDevice(slots, device) && Says(slots, "ridge", Decimal(device.Ridge())) &&
         Says(slots, "ratio",
              IntensityText(PlannedFlops(context.candidate), PlannedBytes(context.candidate)));
}

template <bool arithmetic>
bool IsSideOfRidge(const RelationContext& context, const Slots& slots) {
  if (PlannedBytes(context.candidate) <= 0) return false;
  const CallLimit limit = LimitOf(context.candidate, &context.known.facts, context.device);
  return !limit.balanced && limit.arithmetic == arithmetic && SaysRidge(context, slots);
}

bool IsAtRidge(const RelationContext& context, const Slots& slots) {
  return PlannedBytes(context.candidate) > 0 &&
         LimitOf(context.candidate, &context.known.facts, context.device).balanced &&
         SaysRidge(context, slots);
}
template <AccessUse use>
bool Uses(const RelationContext& context, const Slots& slots) {
  return AnyAccess(context, [&](const GlobalAccess& access) {
    const std::string what = access.load ? "load" : "store";
    bool said = access.use == use;
    for (const std::string_view slot : {"width", "again"}) {
      said = said && SaysNumber(slots, slot, access.width);
    }
    for (const std::string_view slot : {"what", "plural"}) said = said && Says(slots, slot, what);
    if (use == AccessUse::kScattered) {
      said = said && (access.lanes > 0) == (slots.find("lanes") != slots.end());
    }
    return said && Says(slots, "ratio", Decimal(access.ratio)) &&
           Says(slots, "lanes", Decimal(access.lanes)) &&
           SaysNumber(slots, "sectors", access.sectors) &&
           SaysNumber(slots, "filled", access.filled) &&
           Says(slots, "times", Decimal(TimesOfFewest(access))) &&
           Says(slots, "bytes", Short(access.bytes_of_request)) &&
           Says(slots, "fit", Short(access.bytes_of_request / kSectorBytes)) &&
           Says(slots, "arrays", CodeList(access.arrays, 3));
  });
}

bool AreWhole(const RelationContext& context, const Slots& slots) {
  return AnyLaunch(context, [&](const VerdictLaunch& launch) {
    const std::vector<GlobalAccess> accesses = AccessesIn(context, launch);
    return AreWholeAlike(accesses) && Says(slots, "ratio", Decimal(accesses[0].ratio)) &&
           SaysNumber(slots, "width", accesses[0].width) &&
           SaysNumber(slots, "again", accesses[0].width);
  });
}

// What registers and shared memory allow, and how the grid fills the device.
template <OccupancyJudgement judged>
bool HasOccupancy(const RelationContext& context, const Slots& slots) {
  const std::int64_t multiprocessors = context.device.multiprocessors;
  const Verdict& verdict = context.candidate.verdict;
  return AnyLaunch(context, [&](const VerdictLaunch& launch) {
    if (!launch.occupancy || verdict.device.renamed) return false;
    const Occupancy is = OccupancyOf(context.candidate, launch);
    char percent[16];
    std::snprintf(percent, sizeof percent, "%.0f", *launch.occupancy * 100);
    const auto* const device = DeviceFiguresOf(verdict, launch.kernel);
    return JudgementOf(launch, is) == judged && Says(slots, "percent", percent) &&
           SaysNumber(slots, "registers", device == nullptr ? 0 : device->registers) &&
           SaysNumber(slots, "blocks", is.blocks) &&
           SaysNumber(slots, "multiprocessors", multiprocessors) &&
           SaysNumber(slots, "empty", multiprocessors - is.blocks) &&
           SaysNumber(slots, "warps", is.warps) &&
           Says(slots, "each", Decimal(is.per_multiprocessor));
  });
}

bool HasConflicts(const RelationContext& context, const Slots& slots) {
  return AnyLaunch(context, [&](const VerdictLaunch& launch) {
    return launch.counts && SaysNumber(slots, "conflicts", launch.counts->bank_conflicts) &&
           SaysNumber(slots, "requests", launch.counts->SharedRequests());
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
    return device != nullptr && SaysNumber(slots, "bytes", device->spills);
  });
}

bool HasLittleToGain(const RelationContext& context, const Slots& slots) {
  const bool by_traffic =
      HasLimit<Limit::kMemory>(context, slots) || HasLimit<Limit::kLaunchAndWork>(context, slots);
  return by_traffic && !AnyAccess(context, IsWasteful);
}

using Holds = bool (*)(const RelationContext&, const Slots&);

void AddLimits(std::vector<RelationForm>* forms) {
  const auto add = [&](std::string_view trigger, const std::string& pattern, Holds holds) {
    forms->push_back({{trigger}, pattern, holds});
  };
  constexpr std::string_view kPeak = "At the peak rates of";
  const std::string takes = "At the peak rates of an {device} this takes at least {time} µs";
  const std::string would = "At the peak rates of an {device} this would take at least {time} µs";
  add(kPeak, takes + ".", TakesAtLeast);
  add(kPeak,
      takes +
          ", about as long as a launch, so launch latency and the work in the kernel both "
          "count.",
      IsLimit<Limit::kLaunchAndWork>);
  add(kPeak,
      takes +
          ", about as long as its {launches} launches, so launch latency and the work in the "
          "kernels both count.",
      IsLimit<Limit::kLaunchAndWork>);
  add(kPeak,
      would +
          ", but `{kernel}` has only {blocks} blocks for {multiprocessors} multiprocessors, so "
          "too little parallelism is the limit.",
      IsLimit<Limit::kFewBlocks>);
  add(kPeak,
      would +
          ", but `{kernel}` has only {blocks} blocks, which leaves most of the device idle, so "
          "too little parallelism is the limit.",
      IsLimit<Limit::kFewBlocks>);
  add(kPeak, takes + ", longer than a launch, so memory bandwidth is the limit.",
      [](const RelationContext& context, const Slots& slots) {
        return HasLimit<Limit::kMemory>(context, slots) &&
               !LimitOf(context.candidate, &context.known.facts, context.device).poor_reuse;
      });
  add(kPeak, takes + ", longer than a launch.", HasLimit<Limit::kMemory>);
  add("only as far as the caches serve",
      "The warps request {times} times the bytes of the tensors, so memory bandwidth is the limit "
      "only as far as the caches serve the repeated loads.",
      [](const RelationContext& context, const Slots& slots) {
        return HasLimit<Limit::kMemory>(context, slots) &&
               Says(slots, "times", Decimal(TimesOfPlannedBytes(context.candidate)));
      });
  add("This design does not reach",
      "This design does not reach them, because each of its multiply-adds loads its two values "
      "again, so launch latency and the work in the kernel both count.",
      [](const RelationContext& context, const Slots& slots) {
        return HasLimit<Limit::kLaunchAndWork>(context, slots) &&
               LimitOf(context.candidate, &context.known.facts, context.device).poor_reuse;
      });
  add("of this design loads its two values",
      "Memory bandwidth would be the limit if each value were loaded once; each multiply-add of "
      "this design loads its two values again.",
      [](const RelationContext& context, const Slots&) {
        return LimitOf(context.candidate, &context.known.facts, context.device).poor_reuse;
      });
  add(kPeak,
      takes +
          ", longer than a launch, so arithmetic throughput is the limit, provided that loaded "
          "values are reused from registers and shared memory.",
      HasLimit<Limit::kCompute>);
  add(kPeak,
      takes +
          ", longer than a launch, so memory bandwidth and arithmetic throughput limit it alike.",
      [](const RelationContext& context, const Slots& slots) {
        return LimitOf(context.candidate, &context.known.facts, context.device).balanced &&
               TakesAtLeast(context, slots);
      });
  add("A call of `",
      "A call of `{call}` counts as one of them, although it takes many instructions.",
      [](const RelationContext& context, const Slots& slots) {
        return CostlyCall(context.program.Code()) == slots.at("call");
      });
  add("loads it again",
      "`{first}` loads `{array}` and `{second}` loads it again, so it is read twice, which is not "
      "counted.",
      [](const RelationContext& context, const Slots& slots) {
        const auto again = LoadedAgain(context.program.Code());
        return again && again->array == slots.at("array") && again->first == slots.at("first") &&
               again->second == slots.at("second");
      });
  add("are not counted: they",
      "The partial results that {kernels} pass on are not counted: they are written and read on "
      "top.",
      [](const RelationContext& context, const Slots& slots) {
        const std::vector<std::string> names = NamesInList(slots.at("kernels"));
        return std::any_of(
            context.candidate.kernels.begin(), context.candidate.kernels.end(),
            [&](const DesignedKernel& plan) { return IsSplit(plan) && plan.kernels == names; });
      });
  add("calls `.contiguous()` on it",
      "`{function}` gets a transposed view and calls `.contiguous()` on it.", Copies<false>);
  add("calls `.contiguous()` on it",
      "`{function}` gets an input that is not contiguous and calls `.contiguous()` on it.",
      Copies<true>);
  add("This copy is a further launch", "This copy is a further launch and moves {bytes} more.",
      CopyMoves);
  constexpr std::string_view kLatency = "takes several microseconds, so";
  add(kLatency, "A launch takes several microseconds, so launch latency is the limit.",
      IsLimit<Limit::kLaunch>);
  add(kLatency,
      "Each of the {launches} launches takes several microseconds, so launch latency is the limit.",
      IsLimit<Limit::kLaunch>);
  constexpr std::string_view kRidge = "FLOPs per byte of the ridge point";
  add(kRidge,
      "The arithmetic intensity is {ratio} FLOPs per byte, below the {ridge} FLOPs per byte of the "
      "ridge point of an {device}, so the traffic takes longer than the arithmetic.",
      IsSideOfRidge<false>);
  add(kRidge,
      "The arithmetic intensity is {ratio} FLOPs per byte, above the {ridge} FLOPs per byte of the "
      "ridge point of an {device}, so the arithmetic takes longer than the traffic.",
      IsSideOfRidge<true>);
  add(kRidge,
      "The arithmetic intensity is {ratio} FLOPs per byte, about the {ridge} FLOPs per byte of the "
      "ridge point of an {device}, so arithmetic and traffic take about equally long.",
      IsAtRidge);
  // Advice that fits one limit only.
  add("as it is at these sizes",
      "Leave `{kernel}` as it is at these sizes, unless a profile shows that it takes longer than "
      "its launch.",
      HasLimit<Limit::kLaunch>);
  add("Start more blocks", "Start more blocks: {how}.", HasLimit<Limit::kFewBlocks>);
  add("For larger inputs", "For larger inputs: {advice}.", HasLimit<Limit::kLaunch>);
  add("At these sizes launch latency",
      "At these sizes launch latency limits the call, so the difference shows only with larger "
      "inputs.",
      HasLimit<Limit::kLaunch>);
  add("There is little to gain",
      "There is little to gain in the kernel: no access wastes sectors, and each tensor is moved "
      "about once.",
      HasLittleToGain);
}

void AddAccesses(std::vector<RelationForm>* forms) {
  const auto add = [&](std::vector<std::string_view> trigger, const std::string& pattern,
                       Holds holds) { forms->push_back({std::move(trigger), pattern, holds}); };
  const std::vector<std::string_view> touches = {" request ", "sectors on average"};
  add(touches,
      "A {what} request touches {ratio} sectors on average; 32 neighbouring lanes with {width} "
      "bytes each need {again}, so the {plural}s are coalesced.",
      Uses<AccessUse::kWhole>);
  add(touches,
      "A load or store request touches {ratio} sectors on average; 32 neighbouring lanes with "
      "{width} bytes each need {again}, so both are coalesced.",
      AreWhole);
  add(touches,
      "A {what} request touches {ratio} sectors on average, where 32 neighbouring lanes with "
      "{width} bytes each need {again}: some of the {plural}s are not aligned to sectors or not "
      "coalesced.",
      Uses<AccessUse::kMore>);
  add(touches,
      "A {what} request touches {ratio} sectors on average, where 32 neighbouring lanes with "
      "{width} bytes each need {again}: the {plural}s of {arrays} are not coalesced.",
      Uses<AccessUse::kScattered>);
  add(touches,
      "A {what} request touches {ratio} sectors on average, where 32 neighbouring lanes with "
      "{width} bytes each need {again}: some of the {plural}s of {arrays} are not coalesced.",
      Uses<AccessUse::kScattered>);
  add(touches,
      "A {what} request has {lanes} active lanes and touches {ratio} sectors on average, more than "
      "lanes with {width} bytes side by side need: the {plural}s of {arrays} are not coalesced.",
      Uses<AccessUse::kScattered>);
  add(touches,
      "A {what} request touches {ratio} sectors on average, fewer than the {width} that 32 "
      "different elements of {again} bytes need, so lanes of a warp {plural} the same elements.",
      Uses<AccessUse::kShared>);
  add({"The average of", " sectors per "},
      "The average of {ratio} sectors per {what} request mixes elements of different sizes "
      "({arrays}), so it does not show whether one of these accesses is uncoalesced.",
      Uses<AccessUse::kMixed>);
  add({"the output fills"},
      "The stores touch {sectors} sectors, and the output fills {filled}, so every sector is "
      "written as a whole.",
      Uses<AccessUse::kFilled>);
  add({"the output fills"},
      "The stores touch {sectors} sectors, {times} times the {filled} that the output fills: an "
      "average request stores {bytes} bytes, which fit in {fit} sectors, and touches {ratio}.",
      Uses<AccessUse::kWasted>);
  add({"are bank conflicts"},
      "{conflicts} extra passes through shared memory are bank conflicts, on top of {requests} "
      "requests.",
      HasConflicts);
  add({"without bank conflicts"}, "Shared memory is accessed without bank conflicts.",
      HasNoConflicts);
}

void AddOccupancy(std::vector<RelationForm>* forms) {
  const auto add = [&](std::vector<std::string_view> trigger, const std::string& pattern,
                       Holds holds) { forms->push_back({std::move(trigger), pattern, holds}); };
  const std::vector<std::string_view> allow = {"shared memory allow", "occupancy"};
  for (const std::string start :
       {"Registers and shared memory allow {percent} % occupancy",
        "Registers ({registers} per thread) and shared memory allow {percent} % occupancy"}) {
    add(allow, start + ".", HasOccupancy<OccupancyJudgement::kNothing>);
    add(allow, start + ", so few warps are resident to hide the latency of memory.",
        HasOccupancy<OccupancyJudgement::kLow>);
    add(allow,
        start +
            ", but the grid has {blocks} blocks for {multiprocessors} multiprocessors, so "
            "{empty} of them are idle and the others have {warps} warps.",
        HasOccupancy<OccupancyJudgement::kIdle>);
    add(allow, start + ", but the grid has only {each} blocks of {warps} warps per multiprocessor.",
        HasOccupancy<OccupancyJudgement::kPartly>);
    add(allow,
        start +
            ", and the grid has {each} blocks per multiprocessor, so enough warps are resident "
            "to hide the latency of memory.",
        HasOccupancy<OccupancyJudgement::kFull>);
  }
  add({"The compiler spills"},
      "The compiler spills {bytes} bytes of registers to local memory, which adds traffic.",
      Spills);
}

}  // namespace

void AddPerformanceRelations(std::vector<RelationForm>* forms) {
  AddLimits(forms);
  AddLevelRelations(forms);
  AddAccesses(forms);
  AddOccupancy(forms);
}

}  // namespace kernelmill
