#include "stages/cuda_executor/runtime/launch_sample.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <optional>
#include <set>

#include <kernelmill/split_mix.h>

#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/blocks/scratch_pages.h"

namespace kernelmill {
namespace {

constexpr std::uint64_t kFewest = 4;

// The numbers of the blocks that run, ascending: the first, the last, some powers of two, and others
// drawn by the seed. Blocks that share a place by the remainder of their number (slot = block % 256)
// share it with the first block if the divisor is a power of two.
std::vector<std::uint64_t> BlocksOf(const LaunchSample& sample, std::uint64_t blocks,
                                    std::uint64_t threads_of_block) {
  if (sample.part > blocks) return {};
  const std::uint64_t most = std::min(std::max(kFewest, sample.threads / threads_of_block),
                                      std::max(kFewest, blocks / sample.part));
  if (blocks <= most) {
    std::vector<std::uint64_t> all(blocks);
    std::iota(all.begin(), all.end(), std::uint64_t{0});
    return all;
  }
  std::set<std::uint64_t> chosen = {0, blocks - 1};
  const std::uint64_t powers = 2 + most / 4;
  for (std::uint64_t power = std::bit_floor(blocks - 1); power > 0 && chosen.size() < powers;
       power /= 2) {
    chosen.insert(power);
  }
  std::uint64_t state = sample.seed;
  while (chosen.size() < most) chosen.insert(MixedBits(state += kSplitMixStep) % blocks);
  return {chosen.begin(), chosen.end()};
}

}  // namespace

SampledBlocks::SampledBlocks(const LaunchSample& sample, std::uint64_t launches,
                             std::uint64_t blocks, std::uint64_t threads_of_block)
    : sample_(sample), all_(blocks) {
  if (launches < sample.launches) order_ = BlocksOf(sample, blocks, threads_of_block);
  blocks_ = order_.size();
  if (sample.touched_pages) order_.insert(order_.end(), order_.begin(), order_.end());
}

void SampledBlocks::Begin() {
  if (sample_.touched_pages) {
    std::vector<std::uint64_t> filled;
    for (const FilledMemory& memory : sample_.filled) filled.push_back(memory.number);
    BeginScratch(filled);
    FillTouched();
    for (const Range& range : filled_) items_before_ += range.size / range.item;
    filled_.clear();
  } else {
    FillWhole();
  }
}

std::uint64_t SampledBlocks::Next() {
  const std::size_t first = sample_.touched_pages ? blocks_ : 0;
  if (next_ == first && sample_.touched_pages) FillTouched();
  if (next_ == first + 1) first_block_items_ = ItemsWritten();
  return order_[next_++];
}

void SampledBlocks::End() {
  items_ = ItemsWritten();
  if (blocks_ == 1) first_block_items_ = items_;
  if (sample_.touched_pages) left_pages_ = EndScratch(blocks_ == all_);
}

void SampledBlocks::FillWhole() {
  const RunningScope anything(Running::kAnything);
  for (const FilledMemory& filled : sample_.filled) {
    const std::optional<AllocatedMemory> memory = AllocationAt(filled.number);
    if (!memory || filled.item == 0) continue;
    std::memset(memory->first, sample_.fill, memory->size);
    filled_.push_back({memory->first, memory->size, filled.item});
  }
}

void SampledBlocks::FillTouched() {
  const RunningScope anything(Running::kAnything);
  for (const FilledMemory& filled : sample_.filled) {
    const std::optional<AllocatedMemory> memory = AllocationAt(filled.number);
    if (!memory || filled.item == 0) continue;
    for (const auto& [at, size] : TouchedParts(*memory)) {
      std::memset(memory->first + at, sample_.fill, size);
      filled_.push_back({memory->first + at, size, filled.item});
    }
  }
}

std::uint64_t SampledBlocks::ItemsWritten() const {
  const RunningScope anything(Running::kAnything);
  std::uint64_t written = 0;
  for (const Range& range : filled_) {
    const std::vector<char> untouched(range.item, static_cast<char>(sample_.fill));
    for (std::size_t at = 0; at + range.item <= range.size; at += range.item) {
      written += std::memcmp(range.first + at, untouched.data(), range.item) != 0;
    }
  }
  return written;
}

}  // namespace kernelmill
