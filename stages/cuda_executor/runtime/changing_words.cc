#include "stages/cuda_executor/runtime/changing_words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include <kernelmill/split_mix.h>

#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/execution_options.h"
#include "stages/cuda_executor/runtime/kept_variables.h"

namespace kernelmill {
namespace {

using Word = std::uint32_t;

// Bytes that are compared, of each place and of all: small ones first, where counts are.
constexpr std::size_t kMostOfOne = 8 << 20, kMost = 16 << 20;
// Words whose changes are followed, of each place.
constexpr std::size_t kMostFollowed = 32 << 10;

struct History {
  std::array<Word, 4> seen{};  // The values before the current one, the latest at `next` - 1.
  unsigned char count = 0, next = 0, changes = 0;
  bool is_new = false;  // Whether the current value is none of them.
};
struct Watched {
  std::size_t size = 0;  // In bytes.
  std::vector<Word> words;
  std::map<std::size_t, History> histories;  // Of words that have changed.
};
// What the last NoteChanges() was about.
struct Noted {
  std::uint64_t before = 0;
  std::set<const void*> without;
};
Noted& Last() {
  static auto* const last = new Noted;
  return *last;
}
// By address and number, so that other memory at the address begins anew.
std::map<std::pair<char*, std::uint64_t>, Watched>& All() {
  static auto* const all = new std::map<std::pair<char*, std::uint64_t>, Watched>;
  return *all;
}

void Note(Word before, Word now, History* history) {
  history->seen[history->next] = before;
  history->next = (history->next + 1) % history->seen.size();
  history->count = std::min<unsigned char>(history->count + 1, history->seen.size());
  history->changes = std::min(history->changes + 1, 100);
  const auto end = history->seen.begin() + history->count;
  history->is_new = std::find(history->seen.begin(), end, now) == end;
}

// The bytes of word `i` of `size` bytes: fewer than four at the end.
std::size_t BytesOf(std::size_t i, std::size_t size) {
  return std::min(sizeof(Word), size - i * sizeof(Word));
}

// Any number, or one of any magnitude, as an integer or as a float.
Word Other(std::uint64_t bits) {
  const unsigned shift = bits % 31;
  const Word below = (Word{1} << shift) - 1;
  const Word magnitude = (below + 1) | (static_cast<Word>(bits >> 32) & below);
  switch (bits / 32 % 4) {
    case 0:
      return static_cast<Word>(bits >> 32);
    case 1:
      return std::bit_cast<Word>(static_cast<float>(magnitude));
    default:
      return magnitude;
  }
}

}  // namespace

void NoteChanges(std::uint64_t before, const std::set<const void*>& without) {
  const RunningScope open(Running::kAnything);
  Last() = {before, without};
  std::vector<KeptMemory> kept = KeptOnDevice(before, without);
  std::ranges::stable_sort(kept, {}, &KeptMemory::size);
  std::size_t all = 0;
  for (const KeptMemory& memory : kept) {
    const std::size_t size = std::min({memory.size, kMostOfOne, kMost - all});
    if (size == 0) continue;
    all += size;
    Watched& watched = All()[{memory.first, memory.number}];
    const bool first = watched.size != size;
    if (first) {
      watched.size = size;
      watched.words.assign((size + sizeof(Word) - 1) / sizeof(Word), 0);
      watched.histories.clear();
    }
    if (!first && std::memcmp(watched.words.data(), memory.first, size) != 0) {
      for (std::size_t i = 0; i < watched.words.size(); ++i) {
        Word now = 0;
        std::memcpy(&now, memory.first + i * sizeof(Word), BytesOf(i, size));
        if (now == watched.words[i]) continue;
        const bool known = watched.histories.contains(i);
        if (known || watched.histories.size() < kMostFollowed) {
          Note(watched.words[i], now, &watched.histories[i]);
        }
      }
    }
    std::memcpy(watched.words.data(), memory.first, size);
  }
  std::erase_if(All(), [&](const auto& item) {
    return std::ranges::none_of(kept, [&](const KeptMemory& memory) {
      return item.first == std::pair(memory.first, memory.number);
    });
  });
}

std::size_t DisturbChanging() {
  const RunningScope open(Running::kAnything);
  static std::uint64_t drawn = MixedBits(Options().seed + 3);
  // Memory may have been freed since.
  std::set<std::pair<char*, std::uint64_t>> present;
  for (const KeptMemory& memory : KeptOnDevice(Last().before, Last().without)) {
    present.emplace(memory.first, memory.number);
  }
  std::size_t count = 0;
  for (auto& [place, watched] : All()) {
    if (!present.contains(place)) continue;
    for (const auto& [i, history] : watched.histories) {
      if (history.changes < 2 || !history.is_new) continue;
      watched.words[i] = Other(MixedBits(drawn += kSplitMixStep));
      const std::size_t bytes = BytesOf(i, watched.size);
      if (bytes < sizeof(Word)) watched.words[i] &= (Word{1} << (8 * bytes)) - 1;
      std::memcpy(place.first + i * sizeof(Word), &watched.words[i], bytes);
      ++count;
    }
  }
  return count;
}

}  // namespace kernelmill
