#include "stages/cuda_executor/runtime/reachable_memory.h"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstring>

#include <kernelmill/executor.h>

#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/device/device_heap.h"
#include "stages/cuda_executor/runtime/memory_checks.h"
#include "stages/cuda_executor/runtime/page_store.h"

namespace kernelmill {
namespace {

// A launch may have 4 KiB of arguments. They lie in the frames of a few functions.
constexpr std::size_t kArguments = 16 << 10;

// Pages of which all bytes were found to be reachable.
std::array<std::uintptr_t, 4096> pages{};

// Whether it is a reference that DeviceVariable() (executor.h) has made.
bool IsReference(const void* address, std::size_t size) {
  const void* target = nullptr;
  if (size != sizeof(target)) return false;
  std::memcpy(&target, address, sizeof(target));
  const std::optional<MemoryState> state = StateOf(target);
  // `extern __shared__` outside of a function is a reference to shared memory.
  return IsShared(target) || (state && state->space != Space::kHost);
}

// Whether it is the executor's own: the built-in variables are.
bool IsOfExecutor(const void* address) {
  static const dl_find_object own = [] {
    dl_find_object found{};
    _dl_find_object(const_cast<uint3*>(&threadIdx), &found);
    return found;
  }();
  return address >= own.dlfo_map_start && address < own.dlfo_map_end;
}

}  // namespace

bool IsReachable(const void* address, std::size_t size, bool writes, const void* context) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t page = at / kPageBytes;
  std::uintptr_t& known = pages[page % pages.size()];
  if (known == page) return true;
  const auto frame = reinterpret_cast<std::uintptr_t>(context);
  if (at + kArguments >= frame && at < frame + kArguments) return true;
  if (SpaceOf(address) || IsOfExecutor(address)) {
    known = page;
    return true;
  }
  return IsOfHeap(address) || (!writes && IsReference(address, size));
}

void ForgetReachable() { pages.fill(0); }

}  // namespace kernelmill
