#include "generators/reasoning/finding_words.h"

namespace kernelmill {
namespace {

constexpr FindingWords kEnglish = {
    .moved =
        "If each tensor is read or written once, the kernels move {bytes} and do {flops} FLOPs.",
    .moved_by_functions =
        "If each host function reads and writes its tensors once, the kernels move "
        "{bytes} and do {flops} FLOPs.",
    .no_arithmetic =
        "If each tensor is read or written once, the kernels move {bytes}; there is no "
        "arithmetic to count.",
    .largest = "The largest part is `{function}` with {part}.",
    .eager =
        "One kernel per operator, as in eager mode, would move {eager}, because every intermediate "
        "tensor is written and read again.",
    .memory_bound =
        "The arithmetic intensity is {ratio} FLOPs per byte. This is below the ridge point of "
        "every current GPU, so memory bandwidth is the limit: fewer bytes and coalesced accesses "
        "matter, and the arithmetic is nearly free.",
    .compute_bound =
        "The arithmetic intensity is {ratio} FLOPs per byte. This is above the ridge point of "
        "current GPUs without tensor cores, so arithmetic is the limit, provided that loaded "
        "values are reused from registers and shared memory.",
    .near_ridge =
        "The arithmetic intensity is {ratio} FLOPs per byte. This is near the ridge point of "
        "current GPUs: whether memory or arithmetic is the limit depends on the device.",
    .least_time = "On an {device} this takes at least {time} µs.",
    .load = "load",
    .store = "store",
    .uncoalesced =
        "A {what} request touches {ratio} sectors on average, where 32 lanes that access "
        "neighbouring places of {fewest} bytes need {fewest} sectors: the {what}s are not "
        "coalesced.",
    .slightly_more =
        "A {what} request touches {ratio} sectors on average, slightly more than the "
        "{fewest} sectors of coalesced accesses of {fewest} bytes per lane.",
    .fewer =
        "A {what} request touches {ratio} sectors on average, fewer than the {fewest} sectors of "
        "32 "
        "lanes with {fewest} bytes each, because lanes share addresses or not all lanes are "
        "active.",
    .coalesced =
        "A {what} request touches {ratio} sectors on average, which is what 32 lanes with "
        "{fewest} bytes each need: the {what}s are coalesced.",
    .no_conflicts = "Shared memory is accessed without bank conflicts.",
    .conflicts =
        "{conflicts} extra passes through shared memory are bank conflicts, on top of "
        "{requests} requests.",
    .occupancy = "The occupancy is {percent} %",
    .occupancy_with_registers =
        "The occupancy is {percent} % with {registers} registers per thread",
    .low = ", so few warps are resident to hide the latency of memory.",
    .enough = ", which leaves enough warps to hide the latency of memory.",
    .spills =
        "The compiler spills {spills} bytes of registers to local memory, which adds traffic.",
    .item = "- `{kernel}`: {text}",
    .smaller_sizes =
        "The counters are of a run at smaller sizes than the task's, so the ratios carry "
        "over and the totals do not.",
    .index = "",
    .launch = "",
    .remap =
        "Change the index mapping of `{kernel}` so that neighbouring threads access neighbouring "
        "elements. Its {what}s then need up to {factor} times fewer sectors.",
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
    .launches_matter =
        "At these sizes the work takes less time than launching the kernels, which costs a few "
        "microseconds for each. Fewer launches, or a captured graph, matter more than the code "
        "inside the kernels.",
    .launch_matters =
        "At these sizes the work takes less time than the launch, which costs a few microseconds. "
        "Tuning the kernel hardly changes the time of a call; launching it less often, on more "
        "data, does.",
    .nothing =
        "There is little to gain: the accesses are coalesced, and each tensor is moved about "
        "once. Only moving fewer bytes would make it faster, for example by fusing the kernel "
        "with the operator before or after it, or by a narrower dtype.",
    .not_counted =
        "Without counters of the memory accesses there is no evidence of wasted traffic. Moving "
        "fewer bytes would make the kernels faster in any case, for example by fusing them with "
        "the operator before or after them, or by a narrower dtype.",
    .title_bound = "What limits it",
    .title_mapping = "Thread mapping",
    .title_counters = "What the counters say",
    .title_advice = "What to change",
};

constexpr FindingWords kChinese = {
    .moved = "若每个张量只读写一次，核函数共搬运 {bytes}，执行 {flops} 次浮点运算。",
    .moved_by_functions =
        "若每个主机函数对其张量只读写一次，核函数共搬运 {bytes}，执行 {flops} 次浮点运算。",
    .no_arithmetic = "若每个张量只读写一次，核函数共搬运 {bytes}，几乎没有算术运算。",
    .largest = "其中最多的是 `{function}`，为 {part}。",
    .eager =
        "如果像 eager 模式那样每个算子一个核函数，则要搬运 "
        "{eager}，因为每个中间张量都要写出再读入。",
    .memory_bound =
        "算术强度为每字节 {ratio} 次浮点运算，低于现有 GPU 的 roofline "
        "拐点，因此瓶颈是访存带宽：减少字节数、保证合并访问才有用，算术几乎不占时间。",
    .compute_bound =
        "算术强度为每字节 {ratio} 次浮点运算，高于现有 GPU（不用 tensor core）的 roofline "
        "拐点，因此瓶颈是计算，前提是读入的数据在寄存器和共享内存中得到复用。",
    .near_ridge =
        "算术强度为每字节 {ratio} 次浮点运算，接近现有 GPU 的 roofline "
        "拐点，瓶颈是访存还是计算取决于具体设备。",
    .least_time = "在 {device} 上至少需要 {time} µs。",
    .load = "读",
    .store = "写",
    .uncoalesced =
        "每个{what}请求平均触及 {ratio} 个 sector，而 32 个 lane 访问相邻的 {fewest} "
        "字节只需 {fewest} 个 sector：{what}操作没有合并。",
    .slightly_more =
        "每个{what}请求平均触及 {ratio} 个 sector，略多于合并访问（每个 lane {fewest} "
        "字节）所需的 {fewest} 个。",
    .fewer =
        "每个{what}请求平均触及 {ratio} 个 sector，少于 32 个 lane 各访问 {fewest} 字节所需的 "
        "{fewest} 个，因为有些 lane 访问同一地址，或者不是所有 lane 都在工作。",
    .coalesced =
        "每个{what}请求平均触及 {ratio} 个 sector，正好是 32 个 lane 各访问 {fewest} "
        "字节所需的数量：{what}操作是合并的。",
    .no_conflicts = "共享内存访问没有 bank 冲突。",
    .conflicts = "共享内存因 bank 冲突多访问了 {conflicts} 次，而请求共 {requests} 个。",
    .occupancy = "占用率为 {percent} %",
    .occupancy_with_registers = "占用率为 {percent} %（每线程 {registers} 个寄存器）",
    .low = "，驻留的 warp 太少，难以掩盖访存延迟。",
    .enough = "，足以掩盖访存延迟。",
    .spills = "编译器把 {spills} 字节的寄存器溢出到本地内存，增加了访存量。",
    .item = "- `{kernel}`：{text}",
    .smaller_sizes = "这些计数来自比任务更小的尺寸，因此比值仍然适用，总量则不适用。",
    .index = "在 {kernels}中，线程的下标为 `{index}`。",
    .launch = "启动配置为 `{grid}` 个线程块，每块 {threads} 个线程。",
    .remap =
        "修改 `{kernel}` 的下标映射，使相邻线程访问相邻元素，这样{what}操作的 sector "
        "数最多可减少到 "
        "1/{factor}。",
    .reuse =
        "各 warp 请求的数据量是张量字节数的 {times} "
        "倍，说明同一数据被反复读取（大多来自缓存）。把读入的数据留在寄存器或共享内存中复用，可以减"
        "少这些"
        "请求，最多减少到这个倍数的倒数。",
    .fuse =
        "在 {bytes} 中，有 {between} "
        "是由一个核函数写出、另一个读入的中间结果，或被多个核函数读取的张量。把元素一一对应的核函数"
        "融合，可以"
        "省去其中一部分，每融合一个核函数还少一次启动。",
    .pad =
        "把 `{kernel}` 中共享数组的每一行加长一个元素，或交换下标顺序，即可消除 bank "
        "冲突，其代价相当于 {conflicts} 个额外请求。",
    .launches_matter =
        "在这样的尺寸下，计算所需时间比启动核函数还短（每次启动需要几微秒）。减少启动次数或使用 "
        "graph，比改进核函数内部的代码更有效。",
    .launch_matters =
        "在这样的尺寸下，计算所需时间比一次启动（几微秒）还短。调优核函数几乎不会改变调用时间；"
        "更少的启动、每次处理更多数据才有效。",
    .nothing =
        "改进余地很小：访问已经合并，每个张量大约只搬运一次。只有减少字节数才能更快，例如与前后的算"
        "子融合，"
        "或使用更窄的数据类型。",
    .not_counted =
        "没有访存计数，因此看不出多余的访存。减少字节数总能使核函数更快，例如与前后的算子融合，"
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

}  // namespace kernelmill
