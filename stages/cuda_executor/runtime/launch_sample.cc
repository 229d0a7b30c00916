#include "stages/cuda_executor/runtime/launch_sample.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <set>

#include <kernelmill/split_mix.h>

#include "stages/cuda_executor/runtime/address_spaces.h"

namespace kernelmill {
namespace {

constexpr std::uint64_t kFewest = 4;

}  // namespace

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
  std::uint64_t state = sample.seed;
  while (chosen.size() < most) chosen.insert(MixedBits(state += kSplitMixStep) % blocks);
  return {chosen.begin(), chosen.end()};
}

void FillMemory(const LaunchSample& sample) {
  const RunningScope anything(Running::kAnything);
  for (const FilledMemory& filled : sample.filled) {
    const std::optional<AllocatedMemory> memory = AllocationAt(filled.number);
    if (memory) std::memset(memory->first, sample.fill, memory->size);
  }
}

std::uint64_t ItemsWritten(const LaunchSample& sample) {
  const RunningScope anything(Running::kAnything);
  std::uint64_t written = 0;
  for (const FilledMemory& filled : sample.filled) {
    const std::optional<AllocatedMemory> memory = AllocationAt(filled.number);
    if (!memory || filled.item == 0) continue;
    const std::vector<char> untouched(filled.item, static_cast<char>(sample.fill));
    for (std::size_t at = 0; at + filled.item <= memory->size; at += filled.item) {
      written += std::memcmp(memory->first + at, untouched.data(), filled.item) != 0;
    }
  }
  return written;
}

}  // namespace kernelmill
