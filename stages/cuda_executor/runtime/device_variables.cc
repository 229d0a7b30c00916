#include "stages/cuda_executor/runtime/device_variables.h"

#include <cstring>
#include <map>
#include <new>

#include <kernelmill/executor.h>

#include "stages/cuda_executor/runtime/address_spaces.h"

namespace kernelmill {
namespace {

// The sizes of constant variables by address. They live as long as their library, which is never
// unloaded.
std::map<const char*, std::size_t>& Constants() {
  static auto* const constants = new std::map<const char*, std::size_t>;
  return *constants;
}

}  // namespace

void* PlaceVariable(const void* initial, std::size_t size, VariableKind kind) {
  const RunningScope open(Running::kAnything);
  void* const memory =
      AllocateIn(kind == VariableKind::kManaged ? Space::kBoth : Space::kDevice, size);
  if (memory == nullptr) throw std::bad_alloc();
  std::memcpy(memory, initial, size);
  if (kind == VariableKind::kConstant) Constants()[static_cast<const char*>(memory)] = size;
  return memory;
}

bool IsConstantMemory(const void* address) {
  const char* const byte = static_cast<const char*>(address);
  auto found = Constants().upper_bound(byte);
  if (found == Constants().begin()) return false;
  --found;
  return byte < found->first + found->second;
}

}  // namespace kernelmill
