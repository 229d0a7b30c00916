#include "stages/cuda_executor/runtime/page_store.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>

#include "stages/cuda_executor/runtime/memory_checks.h"

namespace kernelmill {

#ifdef KERNELMILL_CHECK_MEMORY

// Pages come from the sanitizer's allocator, so that it knows where allocations end and when they
// are freed.
char* TakePages(std::size_t pages, std::size_t size) {
  const std::size_t bytes = pages * kPageBytes;
  char* const first = static_cast<char*>(std::aligned_alloc(kPageBytes, bytes));
  if (first != nullptr) Forbid(first + size, bytes - size);
  return first;
}
char* TakePagesBefore(std::size_t, std::size_t pages, std::size_t size) {
  return TakePages(pages, size);
}
void ReturnPages(char* first, std::size_t) { std::free(first); }

#else

namespace {

constexpr std::size_t kChunk = std::size_t{32} << 20;
// Larger allocations are returned to the system immediately, and may use huge pages, because access
// rights never change for a part of them.
constexpr std::size_t kLarge = std::size_t{4} << 20;

char* Map(std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
}

// Unused ranges by address. The map is never destroyed, because tensors outlive static objects.
std::map<char*, std::size_t>& Unused() {
  static auto* const unused = new std::map<char*, std::size_t>;
  return *unused;
}

// The bytes behind pages that TakePagesBefore() has given.
std::map<char*, std::size_t>& Gaps() {
  static auto* const gaps = new std::map<char*, std::size_t>;
  return *gaps;
}

void AddUnused(char* first, std::size_t bytes) {
  auto [at, added] = Unused().emplace(first, bytes);
  const auto next = std::next(at);
  if (next != Unused().end() && at->first + at->second == next->first) {
    at->second += next->second;
    Unused().erase(next);
  }
  if (at == Unused().begin()) return;
  const auto before = std::prev(at);
  if (before->first + before->second == at->first) {
    before->second += at->second;
    Unused().erase(at);
  }
}

}  // namespace

char* TakePages(std::size_t pages, std::size_t) {
  const std::size_t bytes = pages * kPageBytes;
  if (bytes > kLarge) {
    char* const first = Map(bytes);
    if (first != nullptr) madvise(first, bytes, MADV_HUGEPAGE);
    return first;
  }
  auto best = Unused().end();
  for (auto at = Unused().begin(); at != Unused().end(); ++at) {
    if (at->second < bytes) continue;
    if (best == Unused().end() || at->second < best->second) best = at;
    if (best->second == bytes) break;
  }
  if (best == Unused().end()) {
    char* const chunk = Map(kChunk);
    if (chunk == nullptr) return Map(bytes);
    best = Unused().emplace(chunk, kChunk).first;
  }
  const auto [first, size] = *best;
  Unused().erase(best);
  if (size > bytes) AddUnused(first + bytes, size - bytes);
  return first;
}

char* TakePagesBefore(std::size_t gap, std::size_t pages, std::size_t size) {
  const std::size_t bytes = pages * kPageBytes;
  char* const first = Map(bytes + gap);
  if (first == nullptr) return TakePages(pages, size);
  mprotect(first + bytes, gap, PROT_NONE);
  Gaps()[first] = gap;
  return first;
}

void ReturnPages(char* first, std::size_t pages) {
  const std::size_t bytes = pages * kPageBytes;
  if (const auto gap = Gaps().find(first); gap != Gaps().end()) {
    munmap(first, bytes + gap->second);
    Gaps().erase(gap);
    return;
  }
  if (bytes > kLarge) {
    munmap(first, bytes);
  } else {
    AddUnused(first, bytes);
  }
}

#endif

}  // namespace kernelmill
