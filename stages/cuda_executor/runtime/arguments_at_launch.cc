#include "stages/cuda_executor/runtime/arguments_at_launch.h"

#include <cstring>
#include <optional>

#include <kernelmill/executor.h>

#include "stages/cuda_executor/runtime/address_spaces.h"

namespace kernelmill {

bool reads_at_launch = false;

ArgumentsAtLaunch& TheArguments() {
  static ArgumentsAtLaunch arguments;
  return arguments;
}

void ArgumentsAtLaunch::Add(const void* pointer) {
  const std::optional<MemoryState> state = StateOf(pointer);
  if (state && !seen_.insert(state->number).second) twice_.insert(state->number);
}

void ArgumentsAtLaunch::Begin(bool copies) {
  if (!copies || twice_.empty()) return;
  std::vector<AllocatedMemory> shared;
  ForEachAllocation([&](const AllocatedMemory& memory, const MemoryState& state) {
    if (twice_.contains(state.number)) shared.push_back(memory);
  });
  const RunningScope open(Running::kAnything);
  for (const AllocatedMemory& memory : shared) {
    char* const values = static_cast<char*>(AllocateIn(Space::kDevice, memory.size));
    if (values == nullptr) continue;
    std::memcpy(values, memory.first, memory.size);
    copies_.push_back({memory.first, memory.size, values});
  }
  reads_at_launch = !copies_.empty();
}

void ArgumentsAtLaunch::End() {
  for (const Copy& copy : copies_) ReleaseMemory(copy.values);
  copies_.clear();
  seen_.clear();
  twice_.clear();
  reads_at_launch = false;
}

const void* ArgumentsAtLaunch::ValuesOf(const void* pointer) const {
  const char* const byte = static_cast<const char*>(pointer);
  for (const Copy& copy : copies_) {
    if (byte >= copy.first && byte < copy.first + copy.size) return copy.values + (byte - copy.first);
  }
  return pointer;
}

const void* ValuesAtLaunch(const void* pointer) { return TheArguments().ValuesOf(pointer); }

}  // namespace kernelmill
