#include "generators/reasoning/finding_words.h"

namespace kernelmill {
namespace {

constexpr FindingWords kEnglish = {
    .moved =
        "If each tensor is read or written once, the kernels move {bytes} and do {flops} FLOPs.",
    .moved_by_one =
        "If each tensor is read or written once, the kernel moves {bytes} and does {flops} FLOPs.",
    .moved_by_functions =
        "If each host function reads and writes its tensors once, the kernels move "
        "{bytes} and do {flops} FLOPs.",
    .no_arithmetic =
        "If each tensor is read or written once, the kernels move {bytes}; there is no "
        "arithmetic to count.",
    .counted_once =
        "A call of `{call}` counts as one of them, although it takes many instructions.",
    .partial =
        "The partial results that {kernels} pass on are not counted: they are written and read "
        "on top.",
    .read_again =
        "`{first}` loads `{array}` and `{second}` loads it again, so it is read twice, which is "
        "not counted.",
    .copied = "`{callee}` gets a transposed view and calls `.contiguous()` on it.",
    .copied_input =
        "`{callee}` gets an input that is not contiguous and calls `.contiguous()` on it.",
    .copied_bytes = "This copy is a further launch and moves {copied} more.",
    .copied_unknown = "This copy is a further launch and is not counted.",
    .largest = "The largest part is `{function}` with {part}.",
    .eager =
        "One kernel per operator, as in eager mode, would move {eager}, because every intermediate "
        "tensor is written and read again.",
    .below_ridge =
        "The arithmetic intensity is {ratio} FLOPs per byte, below the {ridge} FLOPs per byte of "
        "the ridge point of an {device}, so the traffic takes longer than the arithmetic.",
    .above_ridge =
        "The arithmetic intensity is {ratio} FLOPs per byte, above the {ridge} FLOPs per byte of "
        "the ridge point of an {device}, so the arithmetic takes longer than the traffic.",
    .near_ridge =
        "The arithmetic intensity is {ratio} FLOPs per byte, about the {ridge} FLOPs per byte of "
        "the ridge point of an {device}, so arithmetic and traffic take about equally long.",
    .launch_bound =
        "At the peak rates of an {device} this takes at least {time} µs. A launch takes several "
        "microseconds, so launch latency is the limit.",
    .launches_bound =
        "At the peak rates of an {device} this takes at least {time} µs. Each of the {launches} "
        "launches takes several microseconds, so launch latency is the limit.",
    .launch_and_work =
        "At the peak rates of an {device} this takes at least {time} µs, about as long as a "
        "launch, so launch latency and the work in the kernel both count.",
    .launches_and_work =
        "At the peak rates of an {device} this takes at least {time} µs, about as long as its "
        "{launches} launches, so launch latency and the work in the kernels both count.",
    .launch_and_reuse =
        "At the peak rates of an {device} this takes at least {time} µs. This design does not "
        "reach them, because each of its multiply-adds loads its two values again, so launch "
        "latency "
        "and the work in the kernel both count.",
    .few_blocks =
        "At the peak rates of an {device} this would take at least {time} µs, but `{kernel}` has "
        "only {blocks} blocks for {multiprocessors} multiprocessors, so too little parallelism is "
        "the limit.",
    .few_blocks_of_some =
        "At the peak rates of an {device} this would take at least {time} µs, but `{kernel}` has "
        "only {blocks} blocks, which leaves most of the device idle, so too little parallelism is "
        "the limit.",
    .memory_bound =
        "At the peak rates of an {device} this takes at least {time} µs, longer than a launch, so "
        "memory bandwidth is the limit.",
    .memory_if_cached =
        "At the peak rates of an {device} this takes at least {time} µs, longer than a launch. The "
        "warps request {times} times the bytes of the tensors, so memory bandwidth is the limit "
        "only as far as the caches serve the repeated loads.",
    .poor_reuse =
        "At the peak rates of an {device} this takes at least {time} µs, longer than a launch. "
        "Memory bandwidth would be the limit if each value were loaded once; each multiply-add of "
        "this design loads its two values again.",
    .compute_bound =
        "At the peak rates of an {device} this takes at least {time} µs, longer than a launch, so "
        "arithmetic throughput is the limit, provided that loaded values are reused from registers "
        "and shared memory.",
    .both_bound =
        "At the peak rates of an {device} this takes at least {time} µs, longer than a launch, so "
        "memory bandwidth and arithmetic throughput limit it alike.",
    .least = "At the peak rates of an {device} this takes at least {time} µs.",
    .cache_level =
        "But the warps request {times} times these bytes, for which the L2 cache ({cache_rate}) "
        "needs {cache} µs unless L1 serves a part",
    .shared_level =
        "But the {passes} passes through shared memory, one per cycle in each multiprocessor, take "
        "at least {shared} µs",
    .level_bound = ", so that is the limit and not memory bandwidth.",
    .level_and_launch =
        ", about as long as the launches, so launch latency and the work both count.",
    .shared_of_run =
        "But in the counted run the {passes} passes through shared memory, one per cycle in each "
        "multiprocessor, take at least {shared} µs, and its {sectors} sectors of global memory "
        "{moved} µs at full bandwidth: shared memory is the limit.",
    .cache_untold =
        "This design does not reach them: its warps request more from the caches than the bytes of "
        "the tensors, and that takes longer.",
    .shared_untold =
        "This design does not reach them: its requests to shared memory take longer than the bytes "
        "of the tensors.",
    .worth_level =
        "Yes: the work of a call can at best fall from {level} µs to the {time} µs of its bytes "
        "and "
        "FLOPs.",
    .worth_shared =
        "Yes: shared memory takes {factor} times as long as the sectors of global memory, and that "
        "is what a better kernel can save at best.",
    .worth_blocks =
        "Yes: `{kernel}` has {blocks} blocks for {multiprocessors} multiprocessors, and most of "
        "the "
        "device is idle.",
    .worth_blocks_of_some =
        "Yes: `{kernel}` has only {blocks} blocks, and most of the device is idle.",
    .worth_access = "Yes: `{kernel}` touches {factor} times the sectors that its {what}s need.",
    .worth_reuse =
        "Yes: each multiply-add of the design loads its two values again, which is avoidable.",
    .worth_arithmetic =
        "Only with another kind of arithmetic: the FLOPs take longer than the bytes.",
    .no_launch =
        "No: the work can take as little as {time} µs, less than its launch, which no change "
        "inside "
        "the kernel shortens.",
    .no_launches =
        "No: the work can take as little as {time} µs, less than its {launches} launches, which no "
        "change inside a kernel shortens.",
    .no_memory =
        "No: memory bandwidth is the limit, and no access wastes sectors, so only fewer bytes make "
        "a call faster.",
    .hardly_launch =
        "Hardly: the launches take about as long as the work, and they stay as they are.",
    .hardly = "Hardly: the figures show nothing that a change inside the kernels would save.",
    .load = "load",
    .store = "store",
    .whole =
        "A {what} request touches {ratio} sectors on average; 32 neighbouring lanes with {width} "
        "bytes each need {width}, so the {what}s are coalesced.",
    .whole_both =
        "A load or store request touches {ratio} sectors on average; 32 neighbouring lanes with "
        "{width} bytes each need {width}, so both are coalesced.",
    .more =
        "A {what} request touches {ratio} sectors on average, where 32 neighbouring lanes with "
        "{width} bytes each need {width}: some of the {what}s are not aligned to sectors or not "
        "coalesced.",
    .scattered =
        "A {what} request touches {ratio} sectors on average, where 32 neighbouring lanes with "
        "{width} bytes each need {width}: the {what}s of {arrays} are not coalesced.",
    .scattered_some =
        "A {what} request touches {ratio} sectors on average, where 32 neighbouring lanes with "
        "{width} bytes each need {width}: some of the {what}s of {arrays} are not coalesced.",
    .scattered_lanes =
        "A {what} request has {lanes} active lanes and touches {ratio} sectors on average, more "
        "than lanes with {width} bytes side by side need: the {what}s of {arrays} are not "
        "coalesced.",
    .shared_addresses =
        "A {what} request touches {ratio} sectors on average, fewer than the {width} that 32 "
        "different elements of {width} bytes need, so lanes of a warp {what} the same elements.",
    .mixed =
        "The average of {ratio} sectors per {what} request mixes elements of different sizes "
        "({arrays}), so it does not show whether one of these accesses is uncoalesced.",
    .filled =
        "The stores touch {sectors} sectors, and the output fills {filled}, so every sector is "
        "written as a whole.",
    .wasted =
        "The stores touch {sectors} sectors, {times} times the {filled} that the output fills: an "
        "average request stores {bytes} bytes, which fit in {fit} sectors, and touches {ratio}.",
    .no_conflicts = "Shared memory is accessed without bank conflicts.",
    .conflicts =
        "{conflicts} extra passes through shared memory are bank conflicts, on top of "
        "{requests} requests.",
    .allowed = "Registers and shared memory allow {percent} % occupancy",
    .allowed_with_registers =
        "Registers ({registers} per thread) and shared memory allow {percent} % occupancy",
    .idle =
        ", but the grid has {blocks} blocks for {multiprocessors} multiprocessors, so {empty} of "
        "them are idle and the others have {warps} warps.",
    .partly = ", but the grid has only {each} blocks of {warps} warps per multiprocessor.",
    .full =
        ", and the grid has {each} blocks per multiprocessor, so enough warps are resident to hide "
        "the latency of memory.",
    .low = ", so few warps are resident to hide the latency of memory.",
    .spills =
        "The compiler spills {spills} bytes of registers to local memory, which adds traffic.",
    .item = "- `{kernel}`: {text}",
    .smaller_sizes =
        "The counters are of a run at smaller sizes than the task's, so they show how the accesses "
        "of a warp coalesce, but not the totals or the number of blocks at the task's sizes.",
    .index = "",
    .launch = "",
    .second = "",
    .lay_out =
        "Lay `{array}` out as `{array}[{outer}][{inner}]`, with `{inner}` innermost: neighbouring "
        "lanes have neighbouring values of `{inner}`, so the {what}s of `{kernel}` then need up to "
        "{factor} times fewer sectors.",
    .lay_out_any =
        "Change the layout of the intermediate array `{array}`, so that the lanes of a warp {what} "
        "neighbouring elements in `{kernel}`. Its {what}s then need up to {factor} times fewer "
        "sectors.",
    .same_layout = " The loads of `{array}` in `{other}` follow the same layout.",
    .strided =
        "`{kernel}` reads `{array}` through the strides of a view, so neighbouring threads load "
        "elements that lie apart. Transpose tiles of `{array}` in shared memory, so that both the "
        "loads and the stores are coalesced. All loads of the kernel together then need up to "
        "{factor} times fewer sectors.",
    .row_by_warp =
        "Let the lanes of a warp go through a row of `{array}` together: with one thread per row, "
        "neighbouring lanes load elements a row apart. The loads of `{kernel}` then need up to "
        "{factor} times fewer sectors.",
    .side_by_side =
        "The elements that `{kernel}` combines into one result lie apart in `{array}`, and those "
        "of neighbouring results lie side by side: let neighbouring threads work on neighbouring "
        "results. The loads then need up to {factor} times fewer sectors.",
    .spread_columns =
        "Give each thread of `{kernel}` the columns `{new}` instead of `{old}`, so that "
        "neighbouring lanes store neighbouring columns, or let it store its {columns} columns "
        "with one vector store. The stores then need up to {factor} times fewer sectors.",
    .remap =
        "Change which elements of `{array}` the threads of `{kernel}` {what}, so that neighbouring "
        "threads {what} neighbouring elements. The {what}s then need up to {factor} times fewer "
        "sectors.",
    .reuse =
        "The warps request {times} times the bytes of the tensors, so values are loaded "
        "repeatedly, mostly from the caches. Keeping a loaded value in registers or shared memory "
        "for its further uses reduces these requests, by at most that factor.",
    .fuse =
        "Of the {bytes}, {between} are intermediate results that one kernel writes and another "
        "reads, and tensors that several kernels read. Fusing kernels whose elements correspond "
        "removes part of this traffic, and each fused kernel saves a launch.",
    .pad =
        "Pad the rows of the shared arrays of `{kernel}` by one element, or swap their indices: "
        "that removes the bank conflicts, which cost as much as {conflicts} further requests.",
    .fewer_launches =
        "Merge kernels, or replay the {launches} launches as a {graph}. At these sizes the code "
        "inside the kernels hardly changes the time of a call.",
    .save_launches =
        "Merge kernels, or replay the {launches} launches as a {graph}, to save launch time.",
    .leave =
        "Leave `{kernel}` as it is at these sizes, unless a profile shows that it takes longer "
        "than "
        "its launch. Within a model fuse it with the operator before or after it, process more "
        "data per launch, or replay the calls as a {graph}.",
    .more_blocks =
        "Start more blocks: give each of them fewer elements, so that every multiprocessor has "
        "work.",
    .split_rows =
        "Start more blocks: let several blocks share a row or column, and combine their partial "
        "results in a second kernel.",
    .split_products =
        "Start more blocks: use smaller tiles, or split the shared dimension over several blocks "
        "and add their partial sums.",
    .tile =
        "Keep tiles of the operands in shared memory and several results per thread in registers, "
        "so that each loaded value serves several multiply-adds.",
    .more_results =
        "Compute several results per thread of `{kernel}` in registers: with one result, every "
        "multiply-add needs two loads from shared memory; with 4 x 4 results, 16 multiply-adds "
        "need 8.",
    .tensor_cores =
        "The tiles already reuse the loaded values. Only tensor cores go beyond the FP32 "
        "peak, with factors of lower precision.",
    .for_larger = "For larger inputs: {text}",
    .nothing =
        "There is little to gain in the kernel: no access wastes sectors, and each tensor is moved "
        "about once.{fewer_bytes}",
    .fewer_bytes =
        " Only moving fewer bytes makes it faster, for example by fusing it with the operator "
        "before or after it, or by a narrower dtype.",
    .launch_left =
        " What remains beside the bytes is the launch: fusing it with a neighbouring operator "
        "saves one, and replaying the calls as a {graph} makes each of them cheaper.",
    .not_counted =
        "Nothing here shows wasted traffic. Moving fewer bytes makes the kernels faster in any "
        "case, for example by fusing them with the operator before or after them, or by a narrower "
        "dtype.",
    .narrow_columns =
        "Let a warp compute one row of the result in `{kernel}`, which has only {size} columns. "
        "Its "
        "lanes go along k, so that their loads of `{array}` are coalesced and each element is "
        "loaded once; a lane keeps {size} partial sums, which shuffles merge. Now the lanes of a "
        "warp read different rows of `{array}`, which lie apart.",
    .narrow_channels =
        "Let a thread of `{kernel}` compute all {size} channels of one position, with {size} sums "
        "in registers, and neighbouring threads neighbouring positions: each loaded value of "
        "`{array}` then serves all channels.{empty_rows}",
    .empty_rows =
        " That needs no tile, of which now {empty} of {side} rows multiply zeros, and no passes "
        "through shared memory for the other factor.",
    .part_of_sectors =
        " These {what}s touch {part} of the {sectors} sectors of the counted run ({percent} %).",
    .few_lanes =
        "Only {lanes} of 32 lanes are active in an average request of `{kernel}`. Give the lanes "
        "of "
        "a warp elements with equally many terms, so that none waits for the others.",
    .few_lanes_of_strides =
        "Only {lanes} of 32 lanes are active in an average request of `{kernel}`, because most "
        "positions of a transposed convolution with a stride get no term. Give the lanes of a warp "
        "positions with the same remainder modulo the stride, and let the others skip the loop: no "
        "term is added to their result.",
    .gather =
        "The warps of `{kernel}` request {times} times the bytes of the tensors, because each "
        "result "
        "gathers rows of its own, which the caches serve again and again. Let a thread take 4 "
        "neighbouring columns with loads of 16 bytes: the rows then need a quarter of the "
        "requests, "
        "and each index is loaded for 4 columns at once.",
    .no_known_change =
        "The counters show wasted sectors, but not in which of several accesses; count them one at "
        "a time before the kernel is changed.",
    .title_worth = "Is it worth it?",
    .title_bound = "What limits it",
    .title_mapping = "Thread mapping",
    .title_counters = "What the counters say",
    .title_advice = "What to change",
};

}  // namespace

const FindingWords& FindingWordsIn(PromptLanguage language) {
  return language == PromptLanguage::kChinese ? ChineseFindingWords() : kEnglish;
}

std::string AmountIn(const ReasoningSubject& subject, std::int64_t bytes, PromptLanguage language) {
  constexpr std::string_view kEnglish = " bytes", kChinese = " 字节";
  std::string text = subject.Style().Bytes(bytes);
  if (language == PromptLanguage::kChinese && text.ends_with(kEnglish)) {
    text.replace(text.size() - kEnglish.size(), kEnglish.size(), kChinese);
  }
  return text;
}

}  // namespace kernelmill
