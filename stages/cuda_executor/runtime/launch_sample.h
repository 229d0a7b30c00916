// Samples a launch whose sizes are too large for a CPU: only some of its blocks run. The judge
// asks for it with ExecutionOptions::sample when it judges a candidate at full sizes, and launch.cc
// applies it to every launch.
//
// To find out which elements the blocks write, they run twice, with the outputs filled with two
// different bytes first. Elements that are equal afterwards were written; elements that still hold
// the fill bytes were not. Any other difference means that a value was computed from the previous
// contents: from what other blocks should have written, or by atomic operations.
//
// Where the inputs have no values, outputs may be too large to be filled. Then only the pages are
// filled that the blocks touch, and the blocks run again, which shows how many elements they write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
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
  bool touched_pages = false;  // Whether only the pages are filled that the blocks touch.
  // No block of later launches runs: they may read what all blocks of the earlier ones write.
  std::uint64_t launches = std::numeric_limits<std::uint64_t>::max();
};

// The blocks of one launch that run, and the number of elements of the filled memory that they
// write. It counts an element as written if it does not hold the fill byte any longer.
class SampledBlocks {
 public:
  // `launches`: how many launches were before this one.
  SampledBlocks(const LaunchSample& sample, std::uint64_t launches, std::uint64_t blocks,
                std::uint64_t threads_of_block);

  // Fills memory, before the first block.
  void Begin();
  std::uint64_t runs() const { return order_.size(); }  // Calls of Next(), one for each run.
  std::uint64_t blocks() const { return blocks_; }      // Different blocks that run.
  std::uint64_t Next();
  void End();

  std::uint64_t first_block_items() const { return first_block_items_; }
  std::uint64_t items() const { return items_; }  // That all of them have written.
  // With LaunchSample::touched_pages: elements of pages that were touched before the first block.
  std::uint64_t items_before() const { return items_before_; }
  // With LaunchSample::touched_pages: what EndScratch() returns (blocks/scratch_pages.h).
  std::uint64_t left_pages() const { return left_pages_; }

 private:
  struct Range {
    char* first;
    std::size_t size, item;
  };
  void FillWhole();
  void FillTouched();
  std::uint64_t ItemsWritten() const;

  const LaunchSample& sample_;
  const std::uint64_t all_;  // Blocks of the launch.
  std::vector<std::uint64_t> order_;
  std::uint64_t blocks_ = 0;
  std::size_t next_ = 0;
  std::vector<Range> filled_;
  std::uint64_t first_block_items_ = 0, items_ = 0, items_before_ = 0, left_pages_ = 0;
};

}  // namespace kernelmill
