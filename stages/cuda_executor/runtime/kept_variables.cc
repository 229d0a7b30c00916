#include "stages/cuda_executor/runtime/kept_variables.h"

#include <link.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include <kernelmill/split_mix.h>

#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/memory_checks.h"

namespace kernelmill {
namespace {

using Word = std::uint64_t;

struct Range {
  const char* first;
  std::size_t size;
  bool device;  // Whether it is a variable of the device.
};
std::vector<Range>& Ranges() {
  static auto* const ranges = new std::vector<Range>;
  return *ranges;
}

Word WordAt(const char* place) {
  Word word = 0;
  std::memcpy(&word, place, sizeof(word));
  return word;
}

// Whether it is where this system puts heaps, libraries and stacks.
bool IsPlace(Word word) {
  constexpr Word kFirst = 0x500000000000, kLast = 0x7fffffffffff;
  return word >= kFirst && word <= kLast;
}

int AddSegments(dl_phdr_info* info, std::size_t, void* path) {
  if (std::string_view(info->dlpi_name) != static_cast<const char*>(path)) return 0;
  const auto place = [&](const ElfW(Phdr) & part) {
    return reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr);
  };
  Range constant{nullptr, 0, false};  // Only the loader writes to it.
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type == PT_GNU_RELRO) constant = {place(part), part.p_memsz};
  }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    const char* first = place(part);
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) == 0 || first == constant.first) continue;
    Ranges().push_back({first, part.p_memsz, false});
  }
  return 1;
}

}  // namespace

void NoteVariablesOf(const char* library) {
  dl_iterate_phdr(AddSegments, const_cast<char*>(library));
}

void NoteVariable(const void* first, std::size_t size) {
  Ranges().push_back({static_cast<const char*>(first), size, true});
}

std::uint64_t DigestOfVariables() {
  const RunningScope open(Running::kAnything);
  std::uint64_t digest = 1;
  const auto add = [&](Word word) { digest = MixedBits(digest ^ word); };
  for (const Range& range : Ranges()) {
    std::size_t at = 0;
    for (; at + sizeof(Word) <= range.size; at += sizeof(Word)) {
      const Word word = WordAt(range.first + at);
      const bool slot = at + 2 * sizeof(Word) <= range.size &&
                        IsShared(reinterpret_cast<void*>(WordAt(range.first + at + sizeof(Word))));
      add(slot || IsPlace(word) ? 1 : word);
    }
    for (; at < range.size; ++at) add(static_cast<unsigned char>(range.first[at]));
  }
  return digest;
}

std::vector<KeptMemory> KeptOnDevice(std::uint64_t before, const std::set<const void*>& without) {
  std::vector<KeptMemory> kept;
  for (const Range& range : Ranges()) {
    if (range.device) kept.push_back({const_cast<char*>(range.first), range.size, 0});
  }
  ForEachAllocation([&](const AllocatedMemory& memory, const MemoryState& state) {
    const bool variable = std::ranges::any_of(
        kept, [&](const KeptMemory& other) { return other.first == memory.first; });
    if (state.number >= before || state.space == Space::kHost || variable) return;
    if (!without.contains(memory.first)) kept.push_back({memory.first, memory.size, state.number});
  });
  return kept;
}

std::uint64_t DigestOfMemory(std::uint64_t before, const std::set<const void*>& without) {
  constexpr std::size_t kMost = std::size_t{64} << 20;
  const RunningScope open(Running::kAnything);
  std::uint64_t digest = 1;
  ForEachAllocation([&](const AllocatedMemory& memory, const MemoryState& state) {
    if (state.number >= before || memory.size > kMost || without.contains(memory.first)) return;
    digest = MixedBytes(digest, memory.first, memory.size);
  });
  // A number in a variable of the device is no address of the host, whatever it looks like.
  for (const Range& range : Ranges()) {
    if (range.device) digest = MixedBytes(digest, range.first, range.size);
  }
  return digest;
}

}  // namespace kernelmill
