#include "stages/cuda_executor/runtime/device_variables.h"

#include <cstring>
#include <map>
#include <new>
#include <set>

#include <kernelmill/executor.h>

#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/kept_variables.h"

namespace kernelmill {
namespace {

// The sizes of constant variables by address. They live as long as their library, which is never
// unloaded.
std::map<const char*, std::size_t>& Constants() {
  static auto* const constants = new std::map<const char*, std::size_t>;
  return *constants;
}

// What the variables of the device hold at first, word by word: a device function whose address
// host code copies out of one is among them.
std::set<const void*>& InitialWords() {
  static auto* const words = new std::set<const void*>;
  return *words;
}

void NoteWords(const void* initial, std::size_t size) {
  constexpr std::size_t kLargestTable = 4096;  // Larger variables are data.
  if (size > kLargestTable) return;
  for (std::size_t at = 0; at + sizeof(void*) <= size; at += sizeof(void*)) {
    const void* word = nullptr;
    std::memcpy(&word, static_cast<const char*>(initial) + at, sizeof(word));
    if (word != nullptr) InitialWords().insert(word);
  }
}

}  // namespace

void* FunctionOfKernel(const void* function, std::size_t number) {
  if (function == nullptr || InitialWords().contains(function)) return const_cast<void*>(function);
  return InaccessibleArgument(function, number);
}

void* PlaceVariable(const void* initial, std::size_t size, VariableKind kind) {
  const RunningScope open(Running::kAnything);
  void* const memory =
      AllocateIn(kind == VariableKind::kManaged ? Space::kBoth : Space::kDevice, size);
  if (memory == nullptr) throw std::bad_alloc();
  std::memcpy(memory, initial, size);
  NoteVariable(memory, size);
  NoteWords(initial, size);
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
