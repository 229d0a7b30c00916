#include "generators/reasoning/finding_words.h"

namespace kernelmill {
namespace {

constexpr FindingWords kChinese = {
    .moved = "若每个张量只读写一次，核函数共搬运 {bytes}，执行 {flops} 次浮点运算。",
    .moved_by_one = "若每个张量只读写一次，核函数搬运 {bytes}，执行 {flops} 次浮点运算。",
    .moved_by_functions =
        "若每个主机函数对其张量只读写一次，核函数共搬运 {bytes}，执行 {flops} 次浮点运算。",
    .no_arithmetic = "若每个张量只读写一次，核函数共搬运 {bytes}，几乎没有算术运算。",
    .counted_once = "其中每次调用 `{call}` 只计为一次运算，实际需要多条指令。",
    .partial = "{kernels} 之间传递的部分结果未计入，它们还要另外写出再读入。",
    .read_again = "`{first}` 读取 `{array}`，`{second}` 又读一次，这第二次读取未计入。",
    .copied = "`{callee}` 得到的是转置视图，并对它调用 `.contiguous()`。",
    .copied_input = "`{callee}` 得到的输入不是连续存储的，并对它调用 `.contiguous()`。",
    .copied_bytes = "这会多启动一次复制，另外搬运 {copied}。",
    .copied_unknown = "这会多启动一次复制，上面的数字未计入。",
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
        "µs。这种写法的每次乘加都要重新读取两个数，达不到峰值，因此启动延迟和核函数本身的工作都有影"
        "响。",
    .few_blocks =
        "按 {device} 的峰值计算至少需要 {time} µs，但 `{kernel}` 只有 {blocks} "
        "个线程块，而设备有 {multiprocessors} 个多处理器，因此瓶颈是并行度不足。",
    .few_blocks_of_some =
        "按 {device} 的峰值计算至少需要 {time} µs，但 `{kernel}` 只有 {blocks} "
        "个线程块，设备大部分空闲，因此瓶颈是并行度不足。",
    .memory_bound = "按 {device} 的峰值计算至少需要 {time} µs，长于一次启动，因此瓶颈是访存带宽。",
    .memory_if_cached =
        "按 {device} 的峰值计算至少需要 {time} µs，长于一次启动。各 warp "
        "请求的数据量是张量字节数的 "
        "{times} 倍，只有在重复的读取由缓存满足时，瓶颈才是访存带宽。",
    .poor_reuse =
        "按 {device} 的峰值计算至少需要 {time} "
        "µs，长于一次启动。如果每个数据只读一次，瓶颈是访存带宽；而这种写法的每次乘加都要重新读取两"
        "个"
        "数。",
    .compute_bound =
        "按 {device} 的峰值计算至少需要 {time} "
        "µs，长于一次启动，因此瓶颈是计算吞吐量，前提是读入的数据在寄存器和共享内存中得到复用。",
    .both_bound =
        "按 {device} 的峰值计算至少需要 {time} "
        "µs，长于一次启动，因此访存带宽和计算吞吐量都是瓶颈。",
    .least = "按 {device} 的峰值计算至少需要 {time} µs。",
    .cache_level =
        "但各 warp 请求的数据量是这些字节的 {times} 倍，若 L1 没有命中，L2 "
        "缓存（{cache_rate}）需要 "
        "{cache} µs",
    .shared_level = "但共享内存共有 {passes} 次访问，每个多处理器每周期一次，至少需要 {shared} µs",
    .level_bound = "，因此瓶颈在这里，而不是访存带宽。",
    .level_and_launch = "，与启动的时间相当，因此启动延迟和核函数本身的工作都有影响。",
    .shared_of_run =
        "但在计数的那次运行中，共享内存有 {passes} 次访问，每个多处理器每周期一次，至少需要 "
        "{shared} µs，而全局内存的 {sectors} 个 sector 按满带宽只需 {moved} "
        "µs，因此瓶颈是共享内存。",
    .cache_untold = "这种写法达不到峰值：各 warp 从缓存请求的数据多于张量的字节数，所需时间更长。",
    .shared_untold = "这种写法达不到峰值：对共享内存的访问所需时间长于张量的字节。",
    .worth_level = "值得：一次调用的工作时间最好可以从 {level} µs 降到字节和运算所需的 {time} µs。",
    .worth_shared =
        "值得：共享内存所需时间是全局内存 sector 的 {factor} 倍，这是最多能省下的部分。",
    .worth_blocks =
        "值得：`{kernel}` 只有 {blocks} 个线程块，而多处理器有 {multiprocessors} "
        "个，设备大部分空闲。",
    .worth_blocks_of_some = "值得：`{kernel}` 只有 {blocks} 个线程块，设备大部分空闲。",
    .worth_access = "值得：`{kernel}` 的{what}操作触及的 sector 是所需的 {factor} 倍。",
    .worth_reuse = "值得：这种写法的每次乘加都要重新读取两个数，这是可以避免的。",
    .worth_arithmetic = "只有换一种运算才值得：计算所需时间长于访存。",
    .no_launch = "不值得：工作本身最少只需 {time} µs，短于一次启动，而改进核函数并不能缩短启动。",
    .no_launches =
        "不值得：工作本身最少只需 {time} µs，短于 {launches} 次启动，而改进核函数并不能缩短启动。",
    .no_memory = "不值得：瓶颈是访存带宽，且没有浪费 sector 的访问，只有减少字节数才能更快。",
    .hardly_launch = "意义不大：启动的时间与工作的时间相当，而启动不会因此缩短。",
    .hardly = "意义不大：这些数据看不出改进核函数内部能省下什么。",
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
    .second = "它合并各线程块留下的部分结果。",
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
        "在这样的尺寸下不必修改 "
        "`{kernel}`，除非性能分析表明它比启动更费时。可以在模型中把它与前后的"
        "算子融合，每次启动处理更多数据，或者用 {graph} 重放多次调用。",
    .more_blocks = "增加线程块：让每块处理更少的元素，使每个多处理器都有工作。",
    .split_rows = "增加线程块：让多个线程块分担一行或一列，再由第二个核函数合并各自的部分结果。",
    .split_products =
        "增加线程块：使用更小的 tile，或者把求和的维度分给多个线程块，再把部分和相加。",
    .tile =
        "把操作数的 tile 放入共享内存，并让每个线程在寄存器中计算多个结果，使每个读入的数据用于"
        "多次乘加。",
    .more_results =
        "让 `{kernel}` "
        "的每个线程在寄存器中计算多个结果：现在每个线程只算一个，每次乘加都要从共享内存"
        "读两次；若计算 4 x 4 个结果，16 次乘加只需读 8 次。",
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
    .narrow_columns =
        "`{kernel}` 的结果只有 {size} 列：可以让一个 warp 计算结果的一行，各 lane 沿 k 方向前进，"
        "这样对 `{array}` 的读操作是合并的，每个元素只读一次；每个 lane 保留 {size} "
        "个部分和，最后用 "
        "shuffle 合并。现在同一 warp 的各 lane 读取 `{array}` 的不同行，彼此不相邻。",
    .narrow_channels =
        "让 `{kernel}` 的一个线程计算同一位置的全部 {size} 个通道，在寄存器中保留 {size} 个和，"
        "相邻线程处理相邻位置，这样 `{array}` 中每个读入的值用于所有通道。{empty_rows}",
    .empty_rows =
        "这样也不需要 tile（现在 {side} 行中有 {empty} "
        "行只是与零相乘），另一个乘数也不必经过共享内存。",
    .part_of_sectors =
        "在计数的那次运行中，sector 总数为 {sectors}，这些{what}操作占 {part}（{percent} %）。",
    .few_lanes =
        "`{kernel}` 的每个请求平均只有 {lanes} 个 lane（共 32 个）活跃。应让同一 warp 的各 lane "
        "处理项数"
        "相同的元素，避免相互等待。",
    .few_lanes_of_strides =
        "`{kernel}` 的每个请求平均只有 {lanes} 个 lane（共 32 "
        "个）活跃，因为带步长的转置卷积中多数位置"
        "没有任何项。应让同一 warp 的各 lane "
        "处理对步长同余的位置，其余位置没有要累加的项，可以跳过循环。",
    .gather =
        "`{kernel}` 的各 warp 请求的数据量是张量字节数的 {times} "
        "倍，因为每个结果各自收集所需的行，由"
        "缓存反复提供。可以让一个线程用 16 字节的读操作处理 4 "
        "个相邻的列：读取这些行的请求减少到四分之一，"
        "每个索引也只为 4 列读一次。",
    .no_known_change =
        "计数表明有浪费的 sector，但看不出是几种访问中的哪一种；修改之前应逐一单独计数。",
    .title_worth = "是否值得",
    .title_bound = "瓶颈",
    .title_mapping = "线程映射",
    .title_counters = "计数说明了什么",
    .title_advice = "如何改进",
};

}  // namespace

const FindingWords& ChineseFindingWords() { return kChinese; }

}  // namespace kernelmill
