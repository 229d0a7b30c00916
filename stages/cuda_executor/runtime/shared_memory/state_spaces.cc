// The windows of shared and global memory (include/kernelmill/state_spaces.h).
#include <kernelmill/state_spaces.h>

#include <cmath>
#include <limits>
#include <string>

#include "stages/cuda_executor/runtime/block.h"
#include "stages/cuda_executor/runtime/memory_checks.h"

namespace kernelmill {
namespace {

[[noreturn]] void EndIllegal(const std::string& message, Site site) {
  CurrentBlock().Abandon({"illegal_address", "wrong_space", message, site.file, site.line});
}

}  // namespace

std::size_t SharedAddress(const void* pointer) {
  return static_cast<std::size_t>(static_cast<const char*>(pointer) -
                                  static_cast<const char*>(DynamicShared()));
}

void* SharedPointer(std::uint64_t address, std::size_t size, Site site) {
  char* const base = static_cast<char*>(DynamicShared());
  if (address + size >= address && IsShared(base + address) && IsShared(base + address + size - 1)) {
    return base + address;
  }
  EndIllegal("a thread accesses " + std::to_string(size) + " bytes at " + std::to_string(address) +
                 " in the window of shared memory, which ends before; the address is not that of "
                 "__cvta_generic_to_shared()",
             site);
}

void* GlobalPointer(std::uint64_t address, Site site) {
  void* const pointer = reinterpret_cast<void*>(address);
  if (!IsShared(pointer) && !CurrentBlock().IsLocal(pointer)) return pointer;
  EndIllegal("a thread accesses shared or local memory by an instruction for global memory", site);
}

float SumOfTiny(const void* address, float old, float value) {
  if (IsShared(address)) return old + value;
  const auto flushed = [](float number) {
    return std::fabs(number) < std::numeric_limits<float>::min() ? std::copysign(0.0f, number)
                                                                 : number;
  };
  return flushed(flushed(old) + flushed(value));
}

}  // namespace kernelmill
