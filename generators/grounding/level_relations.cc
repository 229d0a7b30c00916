// Relations of the analyses of performance that name what takes longer than the bytes and the FLOPs
// of a program, and that say whether tuning is worth it.
#include "generators/grounding/launch_relations.h"
#include "generators/reasoning/call_limit.h"
#include "generators/reasoning/performance_numbers.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/run_figures.h"

namespace kernelmill {
namespace {

using Holds = bool (*)(const RelationContext&, const Slots&);

// What the caches and shared memory take longer for than the bytes and the FLOPs.
template <bool shared>
bool IsLevel(const RelationContext& context, const Slots& slots) {
  if (PlannedBytes(context.candidate) <= 0) return false;
  const CallLimit limit = LimitOf(context.candidate, &context.known.facts, context.device);
  const CountedWork work = CountedWorkOf(context.candidate.verdict);
  const KnownDevice& device = context.device;
  const auto end = slots.find("end");
  const bool both = end != slots.end() && end->second.find("about as long as") != std::string::npos;
  const bool work_alone = limit.limit == (shared ? Limit::kShared : Limit::kCache);
  return limit.by_level && (limit.shared > limit.cache) == shared &&
         (end == slots.end() || (both ? limit.limit == Limit::kLaunchAndWork : work_alone)) &&
         Says(slots, "times", Decimal(TimesOfPlannedBytes(context.candidate))) &&
         Says(slots, "rate", std::string(device.cache_rate)) &&
         Says(slots, "cache", MicrosecondsText(limit.cache)) &&
         SaysNumber(slots, "passes", work.shared_passes) &&
         SaysNumber(slots, "sectors", work.sectors) &&
         Says(slots, "shared", MicrosecondsText(limit.shared)) &&
         Says(slots, "moved", LeastMicroseconds(0, work.sectors * kSectorBytes, device));
}

void AddLevels(std::vector<RelationForm>* forms) {
  const auto add = [&](std::string_view trigger, const std::string& pattern, Holds holds) {
    forms->push_back({{trigger}, pattern, holds});
  };
  add("But the warps request",
      "But the warps request {times} times these bytes, for which the L2 cache ({rate}) needs "
      "{cache} µs unless L1 serves a part, {end}.",
      IsLevel<false>);
  add("passes through shared memory, one per cycle",
      "But the {passes} passes through shared memory, one per cycle in each multiprocessor, take "
      "at least {shared} µs, {end}.",
      IsLevel<true>);
  add("passes through shared memory, one per cycle",
      "But in the counted run the {passes} passes through shared memory, one per cycle in each "
      "multiprocessor, take at least {shared} µs, and its {sectors} sectors of global memory "
      "{moved} µs at full bandwidth: shared memory is the limit.",
      [](const RelationContext& context, const Slots& slots) {
        return IsLevel<true>(context, slots) &&
               LimitOf(context.candidate, &context.known.facts, context.device).of_smaller_run;
      });
}

// Whether tuning is worth it, as the limit decides.
template <Limit... limits>
bool HasOneOf(const RelationContext& context, const Slots&) {
  if (PlannedBytes(context.candidate) <= 0) return false;
  const Limit is = LimitOf(context.candidate, &context.known.facts, context.device).limit;
  return ((is == limits) || ...);
}

void AddParts(std::vector<RelationForm>* forms) {
  forms->push_back(
      {{"sectors of the counted run ("},
       "These {what}s touch {part} of the {sectors} sectors of the counted run ({percent} %).",
       [](const RelationContext& context, const Slots& slots) {
         const std::int64_t all = CountedWorkOf(context.candidate.verdict).sectors;
         return SaysNumber(slots, "sectors", all) &&
                AnyAccess(context, [&](const GlobalAccess& access) {
                  const auto share = static_cast<double>(access.sectors) / static_cast<double>(all);
                  return Says(slots, "what", access.load ? "load" : "store") &&
                         SaysNumber(slots, "part", access.sectors) &&
                         SaysNumber(slots, "percent", static_cast<std::int64_t>(100 * share + 0.5));
                });
       }});
}

void AddUntoldLevels(std::vector<RelationForm>* forms) {
  forms->push_back({{"does not reach them: its warps"},
                    "This design does not reach them: its warps request {how}.",
                    HasOneOf<Limit::kCache, Limit::kLaunchAndWork>});
  forms->push_back({{"does not reach them: its requests to shared"},
                    "This design does not reach them: its requests to shared memory take {how}.",
                    HasOneOf<Limit::kShared, Limit::kLaunchAndWork>});
}

void AddWorth(std::vector<RelationForm>* forms) {
  const auto add = [&](std::string_view trigger, const std::string& pattern, Holds holds) {
    forms->push_back({{trigger}, pattern, holds});
  };
  add("Yes: the work of a call",
      "Yes: the work of a call can at best fall from {level} µs to the {time} µs of its bytes and "
      "FLOPs.",
      HasOneOf<Limit::kCache, Limit::kShared>);
  add("Yes: shared memory takes", "Yes: shared memory takes {how}.", HasOneOf<Limit::kShared>);
  add("most of the device is idle.", "Yes: `{kernel}` has {how}, and most of the device is idle.",
      HasOneOf<Limit::kFewBlocks>);
  add("times the sectors that its",
      "Yes: `{kernel}` touches {factor} times the sectors that its {what}s need.",
      [](const RelationContext& context, const Slots& slots) {
        return AnyAccess(context, [&](const GlobalAccess& access) {
          return IsWasteful(access) && Says(slots, "factor", Short(TimesOfFewest(access))) &&
                 Says(slots, "what", access.load ? "load" : "store");
        });
      });
  add("No: the work can take", "No: the work can take as little as {time} µs, less than {how}.",
      HasOneOf<Limit::kLaunch>);
  add("No: memory bandwidth", "No: memory bandwidth is the limit, and {how}.",
      [](const RelationContext& context, const Slots& slots) {
        return HasOneOf<Limit::kMemory>(context, slots) && !AnyAccess(context, IsWasteful);
      });
  add("Hardly: the launches", "Hardly: the launches take {how}.", HasOneOf<Limit::kLaunchAndWork>);
}

}  // namespace

void AddLevelRelations(std::vector<RelationForm>* forms) {
  AddLevels(forms);
  AddWorth(forms);
  AddUntoldLevels(forms);
  AddParts(forms);
}

}  // namespace kernelmill
