// The sentences of analyses (performance_findings.h) in the languages of prompts. Names in braces
// are placeholders.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "generators/prompts/prompt_template.h"
#include "generators/reasoning/reasoning_steps.h"

namespace kernelmill {

struct FindingWords {
  // Cost and bound. {bytes}, {flops}, {function}, {part}, {eager}, {ratio}, {device}, {ridge};
  // what these numbers leave out: {kernels}, {callee}, {array}, {first},
  // {second}; {call} is a function such as tanhf.
  std::string_view moved, moved_by_one, moved_by_functions, no_arithmetic, counted_once, partial,
      read_again, copied, largest, eager, below_ridge, above_ridge, near_ridge;
  // The verdict, with the lower bound {time} on {device}. {launches}, {kernel}, {blocks},
  // {multiprocessors}.
  std::string_view launch_bound, launches_bound, launch_and_work, launches_and_work,
      launch_and_reuse, few_blocks, few_blocks_of_some, memory_bound, poor_reuse, compute_bound,
      both_bound;
  // The accesses of one launch. {what}: load or store; {ratio}, {width}, {lanes}, {sectors},
  // {filled}, {times}, {bytes}, {fit}, {arrays}.
  std::string_view load, store, whole, whole_both, more, scattered, scattered_some, scattered_lanes,
      shared_addresses, mixed, filled, wasted;
  // Shared memory and occupancy. {conflicts}, {requests}, {percent}, {registers}, {warps},
  // {blocks}, {multiprocessors}, {empty}, {each}, {spills}.
  std::string_view no_conflicts, conflicts, allowed, allowed_with_registers, idle, partly, full,
      low, spills, item, smaller_sizes;
  // Which thread computes what; empty in English, where MappingStep() says it. {kernels}, {index},
  // {grid}, {threads}.
  std::string_view index, launch;
  // Advice on accesses. {kernel}, {what}, {array}, {inner}, {outer}, {other}, {old}, {new},
  // {columns}, {factor}.
  std::string_view lay_out, lay_out_any, same_layout, strided, row_by_warp, side_by_side,
      spread_columns, remap;
  // Other advice. {times}, {bytes}, {between}, {conflicts}, {graph}, {launches}.
  std::string_view reuse, fuse, pad, fewer_launches, save_launches, leave, more_blocks, split_rows,
      split_products, tile, more_results, tensor_cores, for_larger, nothing, fewer_bytes,
      launch_left, not_counted;
  // Titles of the parts.
  std::string_view title_bound, title_mapping, title_counters, title_advice;
};

const FindingWords& FindingWordsIn(PromptLanguage language);
// "1200 bytes", in the style of the answer and in its language.
std::string AmountIn(const ReasoningSubject& subject, std::int64_t bytes, PromptLanguage language);

}  // namespace kernelmill
