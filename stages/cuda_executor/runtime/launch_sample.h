// A launch at sizes that are too large for a CPU: only some of its blocks run.
//
// What they write is told apart from what was there by running them twice, over outputs that are
// filled with two different bytes first: what is equal afterwards has been written, what differs as
// the bytes do has not. Whatever else differs was worked out from what lay there: from what other
// blocks of the launch were to write, or by atomic operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernelmill {

// Memory that a forward() has allocated.
struct FilledMemory {
  std::uint64_t number = 0;  // AllocationNumber().
  std::size_t item = 1;      // Bytes of one of its elements.
};

struct LaunchSample {
  // At most as many threads, and at most one block in `part`, run: what a thread costs shows in no
  // count of threads. Four blocks may always run, none where even they would be too much.
  std::uint64_t threads = 0;
  std::uint64_t part = 1;
  std::uint64_t seed = 0;
  unsigned char fill = 0;  // Of `filled`, before the first block.
  std::vector<FilledMemory> filled;
};

// The numbers of the blocks that run, ascending: the first, the last and others by seed.
std::vector<std::uint64_t> BlocksOf(const LaunchSample& sample, std::uint64_t blocks,
                                    std::uint64_t threads_of_block);
void FillMemory(const LaunchSample& sample);
// Elements of the filled memory that hold something else now.
std::uint64_t ItemsWritten(const LaunchSample& sample);

}  // namespace kernelmill
