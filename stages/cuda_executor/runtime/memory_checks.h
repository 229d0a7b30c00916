// What the address sanitizer has to be told, in builds that have it; nothing in others. Its library
// is loaded before everything else (CudaRuntime::environment).
#pragma once

#include <cstddef>

#ifdef KERNELMILL_CHECK_MEMORY

extern "C" {
void __asan_poison_memory_region(const volatile void* memory, std::size_t size);
void __asan_unpoison_memory_region(const volatile void* memory, std::size_t size);
void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, std::size_t size);
void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom, std::size_t* size);
}

namespace kernelmill {
inline constexpr std::size_t kRedZone = 128;  // Behind each variable in shared memory.
inline void Forbid(const void* memory, std::size_t size) {
  __asan_poison_memory_region(memory, size);
}
inline void Allow(const void* memory, std::size_t size) {
  __asan_unpoison_memory_region(memory, size);
}
inline void BeforeSwitch(const void* bottom, std::size_t size) {
  __sanitizer_start_switch_fiber(nullptr, bottom, size);
}
// `bottom` and `size`: of the stack that was left.
inline void AfterSwitch(const void** bottom, std::size_t* size) {
  __sanitizer_finish_switch_fiber(nullptr, bottom, size);
}
}  // namespace kernelmill

#else

namespace kernelmill {
inline constexpr std::size_t kRedZone = 0;
inline void Forbid(const void*, std::size_t) {}
inline void Allow(const void*, std::size_t) {}
inline void BeforeSwitch(const void*, std::size_t) {}
inline void AfterSwitch(const void**, std::size_t*) {}
}  // namespace kernelmill

#endif

namespace kernelmill {
// Makes findings of the sanitizer's reports; once a process is enough.
void WatchMemory();
// Reports since the process began: a launch that leaves its memory everywhere is not worth its end.
std::size_t MemoryReports();
inline constexpr std::size_t kMostReports = 64;  // In a launch.
// Whether an address lies in the block's shared memory.
bool IsShared(const void* address);
}  // namespace kernelmill
