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
  // what these numbers leave out: {kernels}, {callee}, {copied}, {array},
  // {first}, {second}; {call} is a function such as tanhf.
  std::string_view moved, moved_by_one, moved_by_functions, no_arithmetic, counted_once, partial,
      read_again, copied, copied_input, copied_bytes, copied_unknown, largest, eager, below_ridge,
      above_ridge, near_ridge;
  // The verdict, with the lower bound {time} on {device}. {launches}, {kernel}, {blocks},
  // {multiprocessors}.
  std::string_view launch_bound, launches_bound, launch_and_work, launches_and_work,
      launch_and_reuse, few_blocks, few_blocks_of_some, memory_bound, memory_if_cached, poor_reuse,
      compute_bound, both_bound;
  // The same where requests to the caches or to shared memory take longer. {times}, {cache_rate},
  // {cache}, {passes}, {shared}, {sectors}, {moved}.
  std::string_view least, cache_level, shared_level, level_bound, level_and_launch, shared_of_run,
      cache_untold, shared_untold;
  // Whether tuning is worth it. {level}, {factor} and the names of the verdict.
  std::string_view worth_level, worth_shared, worth_blocks, worth_blocks_of_some, worth_access,
      worth_reuse, worth_arithmetic, no_launch, no_launches, no_memory, hardly_launch, hardly;
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
  std::string_view index, launch, second;
  // Advice on accesses. {kernel}, {what}, {array}, {inner}, {outer}, {other}, {old}, {new},
  // {columns}, {factor}.
  std::string_view lay_out, lay_out_any, same_layout, strided, row_by_warp, side_by_side,
      spread_columns, remap;
  // Other advice. {times}, {bytes}, {between}, {conflicts}, {graph}, {launches}.
  std::string_view reuse, fuse, pad, fewer_launches, save_launches, leave, more_blocks, split_rows,
      split_products, tile, more_results, tensor_cores, for_larger, nothing, fewer_bytes,
      launch_left, not_counted;
  // Advice on a contraction with a narrow result. {kernel}, {array}, {size}, {empty}, {side}.
  std::string_view narrow_columns, narrow_channels, empty_rows;
  // How large a part an access is, lanes without work, gathered values, and that no change is known
  // for an access that wastes sectors. {what}, {part}, {sectors}, {percent}, {lanes}, {times}.
  std::string_view part_of_sectors, few_lanes, few_lanes_of_strides, gather, no_known_change;
  // Titles of the parts.
  std::string_view title_worth, title_bound, title_mapping, title_counters, title_advice;
};

const FindingWords& FindingWordsIn(PromptLanguage language);
const FindingWords& ChineseFindingWords();
// "1200 bytes", in the style of the answer and in its language.
std::string AmountIn(const ReasoningSubject& subject, std::int64_t bytes, PromptLanguage language);

}  // namespace kernelmill
