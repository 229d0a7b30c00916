// What keeps its values from one call of forward() to the next: the variables of extensions, static
// ones of host code and those of the device, and memory that is allocated. Honest code has filled them after its first calls
// with equal inputs, or sets them back. What goes on changing tells how often forward() was called,
// and code that asks for it does something else in a call that no judge makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace kernelmill {

// Adds the writable data of a library that has just been loaded from this path.
void NoteVariablesOf(const char* library);
// Adds a variable of the device.
void NoteVariable(const void* first, std::size_t size);

// A digest of all values. Where memory lies is no value, and what the executor keeps in a library
// for its shared variables (SharedSlot in executor.h) is none of the candidate's.
std::uint64_t DigestOfVariables();

// What lies in memory: an allocation or a variable of the device. `number` is MemoryState::number,
// 0 for variables.
struct KeptMemory {
  char* first;
  std::size_t size;
  std::uint64_t number;
};
// All variables of the device, and all of its allocations before number `before`, but for those at
// the addresses `without`.
std::vector<KeptMemory> KeptOnDevice(std::uint64_t before, const std::set<const void*>& without);

// A digest of the values of all variables of the device, and of all allocations before number `before`
// (AllocationCount()), of up to 64 MB each, but for those at the addresses `without`.
std::uint64_t DigestOfMemory(std::uint64_t before, const std::set<const void*>& without);

}  // namespace kernelmill
