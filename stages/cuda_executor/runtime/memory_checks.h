// The executor's side of the address sanitizer, in builds that check memory (BuildKind::kMemory):
// it says which memory must not be accessed and when fibers switch, and turns reports into findings
// of the log. In other builds these functions do nothing. The sanitizer's library must be loaded
// before all others (CudaRuntime::environment).
#pragma once

#include <cstddef>

#include <kernelmill/executor.h>

#ifdef KERNELMILL_CHECK_MEMORY

extern "C" {
void __asan_poison_memory_region(const volatile void* memory, std::size_t size);
void __asan_unpoison_memory_region(const volatile void* memory, std::size_t size);
void* __asan_region_is_poisoned(void* memory, std::size_t size);
void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, std::size_t size);
void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom, std::size_t* size);
}

namespace kernelmill {
inline constexpr std::size_t kRedZone = 128;  // Bytes after each variable in shared memory.
inline void Forbid(const void* memory, std::size_t size) {
  __asan_poison_memory_region(memory, size);
}
inline void Allow(const void* memory, std::size_t size) {
  __asan_unpoison_memory_region(memory, size);
}
inline bool IsAllowed(const void* memory, std::size_t size) {
  return __asan_region_is_poisoned(const_cast<void*>(memory), size) == nullptr;
}
inline void BeforeSwitch(const void* bottom, std::size_t size) {
  __sanitizer_start_switch_fiber(nullptr, bottom, size);
}
// `bottom` and `size` return the stack that was switched from.
inline void AfterSwitch(const void** bottom, std::size_t* size) {
  __sanitizer_finish_switch_fiber(nullptr, bottom, size);
}
}  // namespace kernelmill

#else

namespace kernelmill {
inline constexpr std::size_t kRedZone = 0;
inline void Forbid(const void*, std::size_t) {}
inline void Allow(const void*, std::size_t) {}
inline bool IsAllowed(const void*, std::size_t) { return true; }
inline void BeforeSwitch(const void*, std::size_t) {}
inline void AfterSwitch(const void**, std::size_t*) {}
}  // namespace kernelmill

#endif

namespace kernelmill {
// Turns the sanitizer's reports into findings from now on. Called once in each process that runs
// kernels: the sanitizer remembers for which process it was told where to write its text.
void WatchMemory();
// The number of reports since the process started. A launch with kMostReports of them is ended.
std::size_t MemoryReports();
inline constexpr std::size_t kMostReports = 64;  // Per launch.
// Whether an address lies in the block's shared memory.
bool IsShared(const void* address);
// The place of the running launch in the candidate's sources.
Site SiteOfLaunch();
}  // namespace kernelmill
