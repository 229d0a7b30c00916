// What forms of relations (relation_forms.h) about performance ask of the slots of a sentence, and
// of the launches of a candidate with their accesses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "generators/grounding/relation_forms.h"
#include "generators/reasoning/global_accesses.h"

namespace kernelmill {

// A slot that the sentence does not have says nothing wrong.
inline bool Says(const Slots& slots, std::string_view slot, const std::string& text) {
  const auto found = slots.find(slot);
  return found == slots.end() || found->second == text;
}

inline bool SaysNumber(const Slots& slots, std::string_view slot, std::int64_t number) {
  const auto found = slots.find(slot);
  return found == slots.end() || SaysCount(found->second, number);
}

template <typename Test>
bool AnyLaunch(const RelationContext& context, Test test) {
  const auto& launches = context.candidate.verdict.launches;
  return std::any_of(launches.begin(), launches.end(), [&](const VerdictLaunch& launch) {
    return (context.kernels.empty() || launch.kernel == context.kernels[0]) && test(launch);
  });
}

inline std::vector<GlobalAccess> AccessesIn(const RelationContext& context,
                                            const VerdictLaunch& launch) {
  return GlobalAccessesOf(context.known, context.candidate, context.program.Code(), launch);
}

template <typename Test>
bool AnyAccess(const RelationContext& context, Test test) {
  return AnyLaunch(context, [&](const VerdictLaunch& launch) {
    const std::vector<GlobalAccess> accesses = AccessesIn(context, launch);
    return std::any_of(accesses.begin(), accesses.end(), test);
  });
}

}  // namespace kernelmill
