// The sentences of analyses (performance_findings.h) in the languages of prompts. Names in braces
// are placeholders.
#pragma once

#include <string_view>

#include "generators/prompts/prompt_template.h"

namespace kernelmill {

struct FindingWords {
  // Cost and bound. {bytes}, {flops}, {function}, {part}, {eager}, {ratio}, {device}, {time}.
  std::string_view moved, moved_by_functions, no_arithmetic, largest, eager, memory_bound,
      compute_bound, near_ridge, least_time;
  // One launch. {what}: load or store; {ratio}, {fewest}, {conflicts}, {requests}, {percent},
  // {registers}, {spills}.
  std::string_view load, store, uncoalesced, slightly_more, fewer, coalesced, no_conflicts,
      conflicts, occupancy, occupancy_with_registers, low, enough, spills, item, smaller_sizes;
  // Which thread computes what; empty in English, where MappingStep() says it. {kernels}, {index},
  // {grid}, {threads}.
  std::string_view index, launch;
  // Advice. {kernel}, {what}, {factor}, {times}, {bytes}, {between}, {conflicts}.
  std::string_view remap, reuse, fuse, pad, launches_matter, launch_matters, nothing, not_counted;
  // Titles of the parts.
  std::string_view title_bound, title_mapping, title_counters, title_advice;
};

const FindingWords& FindingWordsIn(PromptLanguage language);

}  // namespace kernelmill
