#include "stages/cuda_executor/runtime/replay/kept_tables.h"

#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <kernelmill/split_mix.h>

#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/kept_variables.h"

namespace kernelmill {
namespace {

// So large that whole elements of any format change places.
using Element = std::uint64_t;

constexpr std::size_t kLeast = 1 << 10, kMost = 16 << 20;

struct Table {
  std::size_t size = 0;  // In bytes.
  std::uint64_t digest = 0;
};
// By address and number, as KeptMemory has them.
using Tables = std::map<std::pair<char*, std::uint64_t>, Table>;
std::optional<Tables>& Noted() {
  static auto* const tables = new std::optional<Tables>;
  return *tables;
}

void Swap(char* first, std::size_t size, std::uint64_t seed) {
  auto* const elements = reinterpret_cast<Element*>(first);
  std::vector<std::size_t> places(size / sizeof(Element));
  std::iota(places.begin(), places.end(), std::size_t{0});
  for (std::size_t i = places.size(); i > 1; --i) {
    std::swap(places[i - 1], places[MixedBits(seed += kSplitMixStep) % i]);
  }
  for (std::size_t i = 0; i + 1 < places.size() / 2; i += 2) {
    std::swap(elements[places[i]], elements[places[i + 1]]);
  }
}

}  // namespace

std::size_t NoteTables(std::uint64_t before, const std::set<const void*>& without) {
  const RunningScope open(Running::kAnything);
  Tables found;
  for (const KeptMemory& memory : KeptOnDevice(before, without)) {
    const bool aligned = reinterpret_cast<std::uintptr_t>(memory.first) % alignof(Element) == 0;
    if (memory.size < kLeast || memory.size > kMost || !aligned) continue;
    const Table table{memory.size, MixedBytes(1, memory.first, memory.size)};
    const std::pair place(memory.first, memory.number);
    if (Noted()) {
      const auto known = Noted()->find(place);
      if (known == Noted()->end() || known->second.digest != table.digest) continue;
    }
    found.emplace(place, table);
  }
  Noted() = std::move(found);
  return Noted()->size();
}

void SwapInTables(std::uint64_t seed) {
  if (!Noted()) return;
  const RunningScope open(Running::kAnything);
  for (const auto& [place, table] : *Noted()) Swap(place.first, table.size, seed);
}

}  // namespace kernelmill
