// The callbacks that the compiler inserts before each load and store
// (-fsanitize-coverage=trace-loads,trace-stores), and those that the executor's headers call for
// structures that must count as a single access.
#include <algorithm>
#include <cstring>

#include <kernelmill/access/volatile_access.h>

#include "stages/cuda_executor/runtime/access_counter.h"
#include "stages/cuda_executor/runtime/block.h"
#include "stages/cuda_executor/runtime/races/race_detector.h"

namespace kernelmill {
namespace {

void Pass(const void* address, std::size_t size, AccessKind kind, const void* return_address) {
  CurrentBlock().OnAccess(address, size, kind, static_cast<const char*>(return_address) - 1);
}

}  // namespace

#if defined(KERNELMILL_CHECK_RACES)
AccessObserver* Observer() {
  static RaceDetector detector;
  return &detector;
}
#elif defined(KERNELMILL_COUNT_ACCESSES)
AccessObserver* Observer() { return &Counter(); }
#else
AccessObserver* Observer() { return nullptr; }
#endif

std::optional<AccessCounts> CountsOfLaunch() {
  if (Observer() != &Counter()) return std::nullopt;
  return Counter().counts();
}

void OnAtomic(const void* address, std::size_t size, AtomicKind kind) {
  if (Observer() == nullptr) return;
  const AccessKind access = kind == AtomicKind::kRead      ? AccessKind::kAtomicRead
                            : kind == AtomicKind::kOfBlock ? AccessKind::kAtomicOfBlock
                                                           : AccessKind::kAtomic;
  Pass(address, size, access, __builtin_return_address(0));
}

bool NoteVolatile() {
  if (Observer() != nullptr) Observer()->NoteVolatile();
  return true;
}

void NoteVolatileAccess(const void* address) {
  if (Observer() != nullptr) Observer()->OnVolatile(address);
}

void OnReadOnlyLoad(const void* address, std::size_t size, Site site) {
  if (Observer() != nullptr) Observer()->OnReadOnlyLoad(address, size, site);
}

void CopyWhole(void* to, const void* from, std::size_t size) {
  constexpr std::size_t kWidest = 16;  // The most bytes that one instruction accesses.
  const char* const site = static_cast<const char*>(__builtin_return_address(0));
  for (std::size_t at = 0; Observer() != nullptr && at < size; at += kWidest) {
    const std::size_t part = std::min(kWidest, size - at);
    Pass(static_cast<const char*>(from) + at, part, AccessKind::kRead, site + at / kWidest);
    Pass(static_cast<const char*>(to) + at, part, AccessKind::kWrite, site + at / kWidest);
  }
  std::memmove(to, from, size);
}

}  // namespace kernelmill

#if defined(KERNELMILL_CHECK_RACES) || defined(KERNELMILL_COUNT_ACCESSES)

extern "C" {
#define KM_CALLBACK(name, size, kind)                                                           \
  void __sanitizer_cov_##name(const void* address) {                                            \
    kernelmill::Pass(address, size, kernelmill::AccessKind::kind, __builtin_return_address(0)); \
  }
KM_CALLBACK(load1, 1, kRead)
KM_CALLBACK(load2, 2, kRead)
KM_CALLBACK(load4, 4, kRead)
KM_CALLBACK(load8, 8, kRead)
KM_CALLBACK(load16, 16, kRead)
KM_CALLBACK(store1, 1, kWrite)
KM_CALLBACK(store2, 2, kWrite)
KM_CALLBACK(store4, 4, kWrite)
KM_CALLBACK(store8, 8, kWrite)
KM_CALLBACK(store16, 16, kWrite)
#undef KM_CALLBACK
}

#endif
