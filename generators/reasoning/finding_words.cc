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
    .copied =
        "`{callee}` gets a transposed view and calls `.contiguous()` on it; this copy is a further "
        "launch and is not counted.",
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
        "reach them, because it loads values again for each result, so launch latency and the work "
        "in the kernel both count.",
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
    .poor_reuse =
        "At the peak rates of an {device} this takes at least {time} µs, longer than a launch. "
        "Memory bandwidth would be the limit if each value were loaded once; this design loads "
        "values again for each result.",
    .compute_bound =
        "At the peak rates of an {device} this takes at least {time} µs, longer than a launch, so "
        "arithmetic throughput is the limit, provided that loaded values are reused from registers "
        "and shared memory.",
    .both_bound =
        "At the peak rates of an {device} this takes at least {time} µs, longer than a launch, so "
        "memory bandwidth and arithmetic throughput limit it alike.",
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
        "Leave `{kernel}` as it is at these sizes: a faster kernel hardly changes the time of a "
        "call. Fuse it with the operator before or after it, process more data per launch, or "
        "replay the calls as a {graph}.",
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
        "Compute several results per thread in registers: with one result, every multiply-add of "
        "`{kernel}` needs two loads from shared memory.",
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
    .title_bound = "What limits it",
    .title_mapping = "Thread mapping",
    .title_counters = "What the counters say",
    .title_advice = "What to change",
};

constexpr FindingWords kChinese = {
    .moved = "若每个张量只读写一次，核函数共搬运 {bytes}，执行 {flops} 次浮点运算。",
    .moved_by_one = "若每个张量只读写一次，核函数搬运 {bytes}，执行 {flops} 次浮点运算。",
    .moved_by_functions =
        "若每个主机函数对其张量只读写一次，核函数共搬运 {bytes}，执行 {flops} 次浮点运算。",
    .no_arithmetic = "若每个张量只读写一次，核函数共搬运 {bytes}，几乎没有算术运算。",
    .counted_once = "其中每次调用 `{call}` 只计为一次运算，实际需要多条指令。",
    .partial = "{kernels} 之间传递的部分结果未计入，它们还要另外写出再读入。",
    .read_again = "`{first}` 读取 `{array}`，`{second}` 又读一次，这第二次读取未计入。",
    .copied =
        "`{callee}` 得到的是转置视图，对它调用 `.contiguous()` "
        "会多启动一次复制，上面的数字未计入。",
    .largest = "其中最多的是 `{function}`，为 {part}。",
    .eager =
        "如果像 eager 模式那样每个算子一个核函数，则要搬运 "
        "{eager}，因为每个中间张量都要写出再读入。",
    .below_ridge =
        "算术强度为每字节 {ratio} 次浮点运算，低于 {device} 的 roofline 拐点（每字节 {ridge} "
        "次），因此访存所需时间长于计算。",
    .above_ridge =
        "算术强度为每字节 {ratio} 次浮点运算，高于 {device} 的 roofline 拐点（每字节 {ridge} "
        "次），因此计算所需时间长于访存。",
    .near_ridge =
        "算术强度为每字节 {ratio} 次浮点运算，接近 {device} 的 roofline 拐点（每字节 {ridge} "
        "次），因此计算与访存所需时间相近。",
    .launch_bound =
        "按 {device} 的峰值计算至少需要 {time} µs，而一次启动需要几微秒，因此瓶颈是启动延迟。",
    .launches_bound =
        "按 {device} 的峰值计算至少需要 {time} µs，而共有 {launches} "
        "次启动，每次需要几微秒，因此瓶颈是启动延迟。",
    .launch_and_work =
        "按 {device} 的峰值计算至少需要 {time} "
        "µs，与一次启动的时间相当，因此启动延迟和核函数本身的工作都有影响。",
    .launches_and_work =
        "按 {device} 的峰值计算至少需要 {time} µs，与 {launches} "
        "次启动的时间相当，因此启动延迟和核函数本身的工作都有影响。",
    .launch_and_reuse =
        "按 {device} 的峰值计算至少需要 {time} "
        "µs。这种写法为每个结果重新读取数据，达不到峰值，因此启动延迟和核函数本身的工作都有影响。",
    .few_blocks =
        "按 {device} 的峰值计算至少需要 {time} µs，但 `{kernel}` 只有 {blocks} "
        "个线程块，而设备有 {multiprocessors} 个多处理器，因此瓶颈是并行度不足。",
    .few_blocks_of_some =
        "按 {device} 的峰值计算至少需要 {time} µs，但 `{kernel}` 只有 {blocks} "
        "个线程块，设备大部分空闲，因此瓶颈是并行度不足。",
    .memory_bound = "按 {device} 的峰值计算至少需要 {time} µs，长于一次启动，因此瓶颈是访存带宽。",
    .poor_reuse =
        "按 {device} 的峰值计算至少需要 {time} "
        "µs，长于一次启动。如果每个数据只读一次，瓶颈是访存带宽；而这种写法为每个结果重新读取数据"
        "。",
    .compute_bound =
        "按 {device} 的峰值计算至少需要 {time} "
        "µs，长于一次启动，因此瓶颈是计算吞吐量，前提是读入的数据在寄存器和共享内存中得到复用。",
    .both_bound =
        "按 {device} 的峰值计算至少需要 {time} "
        "µs，长于一次启动，因此访存带宽和计算吞吐量都是瓶颈。",
    .load = "读",
    .store = "写",
    .whole =
        "每个{what}请求平均触及 {ratio} 个 sector，而 32 个相邻 lane 各访问 {width} "
        "字节需要 {width} 个，因此{what}操作是合并的。",
    .whole_both =
        "每个读或写请求平均触及 {ratio} 个 sector，而 32 个相邻 lane 各访问 {width} 字节需要 "
        "{width} "
        "个，因此读和写都是合并的。",
    .more =
        "每个{what}请求平均触及 {ratio} 个 sector，而 32 个相邻 lane 各访问 {width} 字节只需 "
        "{width} 个：部分{what}操作没有按 sector 对齐，或没有合并。",
    .scattered =
        "每个{what}请求平均触及 {ratio} 个 sector，而 32 个相邻 lane 各访问 {width} 字节只需 "
        "{width} 个：对 {arrays} 的{what}操作没有合并。",
    .scattered_some =
        "每个{what}请求平均触及 {ratio} 个 sector，而 32 个相邻 lane 各访问 {width} 字节只需 "
        "{width} 个：对 {arrays} 的{what}操作中，有一部分没有合并。",
    .scattered_lanes =
        "每个{what}请求平均有 {lanes} 个活跃 lane，触及 {ratio} 个 sector，多于这些 lane "
        "相邻访问（各 "
        "{width} 字节）所需的数量：对 {arrays} 的{what}操作没有合并。",
    .shared_addresses =
        "每个{what}请求平均触及 {ratio} 个 sector，少于 32 个不同元素（各 {width} 字节）所需的 "
        "{width} 个，因此同一 warp 中有 lane {what}同一元素。",
    .mixed =
        "{what}请求触及的 sector 数平均为 {ratio}，其中混合了不同宽度的元素（{arrays}），"
        "因此看不出某一种访问是否合并。",
    .filled =
        "写操作触及的 sector 数为 {sectors}，输出恰好占 {filled}，因此每个 sector 都是完整写入的。",
    .wasted =
        "写操作触及的 sector 数为 {sectors}，是输出所占 {filled} 的 {times} 倍：每个写请求平均写 "
        "{bytes} 字节，触及的 sector 数却是 {ratio}。",
    .no_conflicts = "共享内存访问没有 bank 冲突。",
    .conflicts = "共享内存因 bank 冲突多访问了 {conflicts} 次，而请求共 {requests} 个。",
    .allowed = "寄存器和共享内存允许 {percent} % 的占用率",
    .allowed_with_registers = "寄存器（每线程 {registers} 个）和共享内存允许 {percent} % 的占用率",
    .idle =
        "，但网格只有 {blocks} 个线程块，而多处理器有 {multiprocessors} 个，其中 {empty} "
        "个空闲，其余各有 {warps} 个 warp。",
    .partly = "，但网格平均只给每个多处理器 {each} 个线程块，每块 {warps} 个 warp。",
    .full = "，网格平均给每个多处理器 {each} 个线程块，驻留的 warp 足以掩盖访存延迟。",
    .low = "，驻留的 warp 太少，难以掩盖访存延迟。",
    .spills = "编译器把 {spills} 字节的寄存器溢出到本地内存，增加了访存量。",
    .item = "- `{kernel}`：{text}",
    .smaller_sizes =
        "这些计数来自比任务更小的尺寸：它们能说明一个 warp "
        "的访问是否合并，但不能说明任务尺寸下的总量和线程块数。",
    .index = "在 {kernels}中，线程的下标为 `{index}`。",
    .launch = "启动配置为 `{grid}` 个线程块，每块 {threads} 个线程。",
    .lay_out =
        "把 `{array}` 的布局改为 `{array}[{outer}][{inner}]`，使 `{inner}` 在最内层：相邻 lane 的 "
        "`{inner}` 相邻，因此 `{kernel}` 的{what}操作触及的 sector 最多可减少到 1/{factor}。",
    .lay_out_any =
        "改变中间数组 `{array}` 的布局，使 `{kernel}` 中同一 warp 的 lane "
        "{what}相邻元素，这样 sector 最多可减少到 1/{factor}。",
    .same_layout = "`{other}` 对 `{array}` 的读操作也随之合并。",
    .strided =
        "`{kernel}` 按视图的步长读取 `{array}`，因此相邻线程读取的元素不相邻。可以在共享内存中转置 "
        "`{array}` 的 tile，使读和写都合并，这样该核函数全部读操作触及的 sector 最多可减少到 "
        "1/{factor}。",
    .row_by_warp =
        "让一个 warp 的各 lane 一起处理 `{array}` 的一行：现在每个线程处理一行，相邻 lane "
        "读取的元素相隔一整行。这样 `{kernel}` 的读操作触及的 sector 最多可减少到 1/{factor}。",
    .side_by_side =
        "`{kernel}` 合并成一个结果的各元素在 `{array}` "
        "中不相邻，而相邻结果的元素是相邻的：应让相邻线程"
        "处理相邻的结果，这样读操作触及的 sector 最多可减少到 1/{factor}。",
    .spread_columns =
        "让 `{kernel}` 的每个线程计算 `{new}` 这些列，而不是 `{old}`，使相邻 lane "
        "写相邻的列；或者用一次向量写把它的 {columns} 列一起写出。这样写操作触及的 sector "
        "最多可减少到 1/{factor}。",
    .remap =
        "改变 `{kernel}` 中线程{what} `{array}` 的哪些元素，使相邻线程{what}相邻元素，这样 sector "
        "最多可减少到 1/{factor}。",
    .reuse =
        "各 warp 请求的数据量是张量字节数的 {times} "
        "倍，说明同一数据被反复读取（大多来自缓存）。把读入的数据留在寄存器或共享内存中复用，可以减"
        "少这些请求，最多减少到这个倍数的倒数。",
    .fuse =
        "在 {bytes} 中，有 {between} "
        "是由一个核函数写出、另一个读入的中间结果，或被多个核函数读取的张量。把元素一一对应的核函数"
        "融合，可以省去其中一部分，每融合一个核函数还少一次启动。",
    .pad =
        "把 `{kernel}` 中共享数组的每一行加长一个元素，或交换下标顺序，即可消除 bank "
        "冲突，其代价相当于 {conflicts} 个额外请求。",
    .fewer_launches =
        "合并核函数，或者用 {graph} 重放这 {launches} "
        "次启动。在这样的尺寸下，改进核函数内部的代码几乎不影响一次调用的时间。",
    .save_launches = "合并核函数，或者用 {graph} 重放这 {launches} 次启动，以节省启动时间。",
    .leave =
        "在这样的尺寸下不必修改 `{kernel}`：核函数再快，一次调用的时间也几乎不变。可以把它与前后的"
        "算子融合，每次启动处理更多数据，或者用 {graph} 重放多次调用。",
    .more_blocks = "增加线程块：让每块处理更少的元素，使每个多处理器都有工作。",
    .split_rows = "增加线程块：让多个线程块分担一行或一列，再由第二个核函数合并各自的部分结果。",
    .split_products =
        "增加线程块：使用更小的 tile，或者把求和的维度分给多个线程块，再把部分和相加。",
    .tile =
        "把操作数的 tile 放入共享内存，并让每个线程在寄存器中计算多个结果，使每个读入的数据用于"
        "多次乘加。",
    .more_results =
        "让每个线程在寄存器中计算多个结果：现在每个线程只算一个，`{kernel}` "
        "的每次乘加都要从共享内存读两次。",
    .tensor_cores =
        "tile 已经复用了读入的数据。只有 tensor core 能超过 FP32 峰值，但乘数的精度较低。",
    .for_larger = "对更大的输入：{text}",
    .nothing =
        "核函数本身的改进余地很小：没有浪费 sector "
        "的访问，每个张量大约只搬运一次。{fewer_bytes}",
    .fewer_bytes = "只有减少字节数才能更快，例如与前后的算子融合，或使用更窄的数据类型。",
    .launch_left =
        "除字节数之外只剩启动开销：与相邻算子融合可以省去一次启动，用 {graph} "
        "重放多次调用可以使每次启动更便宜。",
    .not_counted =
        "这里看不出多余的访存。减少字节数总能使核函数更快，例如与前后的算子融合，"
        "或使用更窄的数据类型。",
    .title_bound = "瓶颈",
    .title_mapping = "线程映射",
    .title_counters = "计数说明了什么",
    .title_advice = "如何改进",
};

}  // namespace

const FindingWords& FindingWordsIn(PromptLanguage language) {
  return language == PromptLanguage::kChinese ? kChinese : kEnglish;
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
