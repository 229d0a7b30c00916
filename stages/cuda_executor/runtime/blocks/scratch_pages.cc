#include "stages/cuda_executor/runtime/blocks/scratch_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "stages/cuda_executor/runtime/page_store.h"

namespace kernelmill {
namespace {

using Pages = std::set<std::size_t>;
struct Scratch {
  Pages touched;         // By launches before.
  Pages again;           // Of these, by a later launch.
  bool sampled = false;  // Whether some blocks of a later launch did not run.
};
// By MemoryState::number, which no other allocation of the process has.
std::map<std::uint64_t, Scratch>& All() {
  static auto* const all = new std::map<std::uint64_t, Scratch>;
  return *all;
}

struct WholePages {
  char* first;
  std::size_t count;
};
WholePages PagesOf(const AllocatedMemory& memory) {
  const std::size_t before = reinterpret_cast<std::uintptr_t>(memory.first) % kPageBytes;
  return {memory.first - before, (before + memory.size + kPageBytes - 1) / kPageBytes};
}

std::vector<unsigned char> Touched(const AllocatedMemory& memory) {
  const WholePages pages = PagesOf(memory);
  madvise(pages.first, pages.count * kPageBytes, MADV_NOHUGEPAGE);
  std::vector<unsigned char> touched(pages.count);
  if (mincore(pages.first, pages.count * kPageBytes, touched.data()) != 0) return {};
  return touched;
}

Pages TouchedPages(const AllocatedMemory& memory) {
  const std::vector<unsigned char> touched = Touched(memory);
  Pages pages;
  // The executor itself writes beside the first and the last byte.
  for (std::size_t i = 1; i + 1 < touched.size(); ++i) {
    if ((touched[i] & 1) != 0) pages.insert(i);
  }
  return pages;
}

// Calls visit(AllocationNumber(), memory, MemoryState::number) for the allocations of forward()
// that are the device's.
template <typename Visit>
void ForEachScratch(const Visit& visit) {
  ForEachAllocation([&](const AllocatedMemory& memory, const MemoryState& state) {
    const std::optional<std::uint64_t> number = AllocationNumber(memory.first);
    if (number && state.space != Space::kHost) visit(*number, memory, state.number);
  });
}

std::uint64_t Left(const Scratch& scratch) {
  if (scratch.sampled || scratch.again.empty()) return 0;
  const auto behind = scratch.touched.upper_bound(*scratch.again.rbegin());
  // What lies before is touched, too: otherwise a launch may need some of the places only.
  const auto before = static_cast<std::size_t>(std::distance(scratch.touched.begin(), behind));
  if (before != scratch.again.size()) return 0;
  return scratch.touched.size() - before;
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> TouchedParts(const AllocatedMemory& memory) {
  const std::size_t before =
      static_cast<std::size_t>(memory.first - PagesOf(memory).first);  // Of its first page.
  const std::vector<unsigned char> touched = Touched(memory);
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  for (std::size_t i = 0; i < touched.size(); ++i) {
    if ((touched[i] & 1) == 0) continue;
    const std::size_t from = std::max(i * kPageBytes, before) - before;
    while (i < touched.size() && (touched[i] & 1) != 0) ++i;
    parts.emplace_back(from, std::min(i * kPageBytes - before, memory.size) - from);
  }
  return parts;
}

void BeginScratch(const std::vector<std::uint64_t>& without) {
  const RunningScope anything(Running::kAnything);
  ForEachScratch([&](std::uint64_t number, const AllocatedMemory& memory, std::uint64_t key) {
    if (std::ranges::find(without, number) != without.end()) return;
    All().try_emplace(key);
    const WholePages pages = PagesOf(memory);
    if (pages.count < 3) return;
    madvise(pages.first + kPageBytes, (pages.count - 2) * kPageBytes, MADV_DONTNEED);
  });
}

std::uint64_t EndScratch(bool whole) {
  const RunningScope anything(Running::kAnything);
  std::uint64_t left = 0;
  ForEachScratch([&](std::uint64_t, const AllocatedMemory& memory, std::uint64_t key) {
    const auto found = All().find(key);
    if (found == All().end()) return;
    Scratch& scratch = found->second;
    const Pages now = TouchedPages(memory);
    if (!scratch.touched.empty() && !now.empty()) {
      scratch.sampled = scratch.sampled || !whole;
      std::ranges::set_intersection(now, scratch.touched,
                                    std::inserter(scratch.again, scratch.again.end()));
    }
    scratch.touched.insert(now.begin(), now.end());
    left += Left(scratch);
  });
  return left;
}

}  // namespace kernelmill
