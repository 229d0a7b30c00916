// Samples a launch whose sizes are too large for a CPU: only some of its blocks run. The judge
// asks for it with ExecutionOptions::sample when it judges a candidate at full sizes, and launch.cc
// applies it to every launch.
//
// To find out which elements the blocks write, they run twice, with the outputs filled with two
// different bytes first. Elements that are equal afterwards were written; elements that still hold
// the fill bytes were not. Any other difference means that a value was computed from the previous
// contents: from what other blocks should have written, or by atomic operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernelmill {

// An allocation of forward() that is filled.
struct FilledMemory {
  std::uint64_t number = 0;  // AllocationNumber().
  std::size_t item = 1;      // Bytes per element.
};

struct LaunchSample {
  // Limits: at most `threads` threads run, and at most one in `part` blocks, because the number of
  // threads says nothing about the cost of each. Four blocks may run in any case, but none if the
  // launch has fewer than `part` blocks.
  std::uint64_t threads = 0;
  std::uint64_t part = 1;
  std::uint64_t seed = 0;
  unsigned char fill = 0;  // The byte that `filled` is set to before the first block.
  std::vector<FilledMemory> filled;
};

// The numbers of the blocks that run, ascending: the first, the last, and others drawn by `seed`.
std::vector<std::uint64_t> BlocksOf(const LaunchSample& sample, std::uint64_t blocks,
                                    std::uint64_t threads_of_block);
void FillMemory(const LaunchSample& sample);
// The number of elements of the filled memory that no longer hold the fill byte.
std::uint64_t ItemsWritten(const LaunchSample& sample);

}  // namespace kernelmill
