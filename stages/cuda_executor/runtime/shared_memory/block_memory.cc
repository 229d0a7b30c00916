#include "stages/cuda_executor/runtime/shared_memory/block_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <kernelmill/runtime_api.h>
#include <kernelmill/split_mix.h>

#include "stages/cuda_executor/runtime/block.h"
#include "stages/cuda_executor/runtime/device/device_properties.h"
#include "stages/cuda_executor/runtime/execution_options.h"
#include "stages/cuda_executor/runtime/memory_checks.h"

namespace kernelmill {
namespace {

constexpr std::size_t kSharedAlignment = 128;
constexpr std::size_t kSharedLimit = 48 << 10;  // Without cudaFuncSetAttribute().

// Why a device would have refused a launch with so much shared memory; empty if it runs it. On a
// device the sum is known before the launch, here only as the block reaches its variables.
std::string RefusalOfShared(std::size_t statics, std::size_t dynamic, std::size_t limit) {
  if (statics > kSharedLimit) return "more than 48 KiB of static shared memory";
  const std::size_t most =
      limit > kSharedLimit ? DeviceProperties().sharedMemPerBlockOptin : kSharedLimit;
  if (statics + dynamic <= most) return {};
  return std::to_string(statics) + " bytes of static and " + std::to_string(dynamic) +
         " of dynamic shared memory; " + std::to_string(most) + " are allowed together";
}

// On a device the window of shared memory is aligned to its 16 MiB, so that the low bits of a
// generic address are its place in the window.
char* MapWindow() {
  constexpr std::size_t kWindow = 16 << 20;
  void* const found =
      mmap(nullptr, 2 * kWindow, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  const std::uintptr_t at =
      (reinterpret_cast<std::uintptr_t>(found) + kWindow - 1) / kWindow * kWindow;
  void* const window = reinterpret_cast<void*>(at);
  mprotect(window, kSharedArena, PROT_READ | PROT_WRITE);
  return static_cast<char*>(window);
}

}  // namespace

void FillShared(char* memory, std::size_t size) {
  if (!FillsFreshWithNan()) return FillFresh(memory, size);
  // Each 16 bits are a NaN, and so are any two or four of them together.
  constexpr std::uint64_t kNan = 0x7ff8'7ff8'7ff8'7ff8, kFree = 0x8007'8007'8007'8007;
  static std::vector<std::uint64_t> words;
  static std::uint64_t filled_for = 0;
  const std::uint64_t now = MixedBits(Options().seed + kSplitMixStep) + Options().fresh;
  if (words.empty() || filled_for != now) {
    filled_for = now;
    words.resize(kSharedArena / sizeof(std::uint64_t));
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = kNan | (MixedBits(filled_for + (i + 1) * kSplitMixStep) & kFree);
    }
  }
  const std::size_t at = static_cast<std::size_t>(memory - Shared().base);
  std::memcpy(memory, reinterpret_cast<const char*>(words.data()) + at, size);
}

SharedMemory& Shared() {
  static SharedMemory shared{MapWindow()};
  return shared;
}

void SharedMemory::Begin() {
  used = (dynamic + kRedZone + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
  statics = 0;
  Forbid(base, kSharedArena);
  Allow(base, dynamic);
  FillShared(base, dynamic);
}

void* AllocateShared(std::size_t size, std::size_t alignment, Site site) {
  SharedMemory& shared = Shared();
  alignment = std::max(alignment, kSharedAlignment);
  const std::size_t at = (shared.used + alignment - 1) / alignment * alignment;
  shared.statics += size;
  std::string refusal = RefusalOfShared(shared.statics, shared.dynamic, shared.limit);
  if (refusal.empty() && at + size > kSharedArena) refusal = "too many shared variables";
  if (!refusal.empty()) {
    CurrentBlock().Abandon(
        {"crashed", "launch_limit", "the kernel has " + refusal, site.file, site.line});
  }
  shared.used = at + size + kRedZone;
  Allow(shared.base + at, size);
  FillShared(shared.base + at, size);
  return shared.base + at;
}

bool IsShared(const void* address) {
  const char* const byte = static_cast<const char*>(address);
  return byte >= Shared().base && byte < Shared().base + kSharedArena;
}

void* DynamicShared() { return Shared().base; }

}  // namespace kernelmill
