// What the race detector keeps of each word of memory that a launch accesses. Words lie in pages
// like the memory that they describe, so that neighbouring accesses find neighbouring entries: a
// table with one place a word would wait for main memory at nearly every access.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace kernelmill {

template <typename Word>
class ShadowMemory {
 public:
  // Forgets all words.
  void Clear() {
    table_.assign(kFirstPlaces, {});
    pages_.clear();
    last_.fill({});
  }

  // The entry of a word, which is numbered by its address divided by its size. It stays where it
  // is until Clear().
  Word& operator[](std::uint64_t number) {
    const std::uint64_t page = number / kPageWords + 1;
    Place& last = last_[page % kLast];
    if (last.page != page) last = Find(page);
    return last.words[number % kPageWords];
  }

 private:
  static constexpr std::size_t kPageWords = 64, kFirstPlaces = 256, kLast = 256;

  struct Place {
    std::uint64_t page = 0;  // 0: unused.
    Word* words = nullptr;
  };

  Place Find(std::uint64_t page) {
    if (2 * pages_.size() >= table_.size()) Grow();
    Place& place = PlaceOf(page);
    if (place.page == 0) {
      pages_.push_back(std::make_unique<Word[]>(kPageWords));
      place = {page, pages_.back().get()};
    }
    return place;
  }

  // Where a page is, or would be.
  Place& PlaceOf(std::uint64_t page) {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = page * 0x9e3779b97f4a7c15 >> 20;
    while (table_[at & mask].page != page && table_[at & mask].page != 0) ++at;
    return table_[at & mask];
  }

  void Grow() {
    std::vector<Place> old(table_.size() * 2);
    old.swap(table_);
    for (const Place& place : old) {
      if (place.page != 0) PlaceOf(place.page) = place;
    }
  }

  std::vector<Place> table_;  // A power of two of places, at most half of them used.
  std::vector<std::unique_ptr<Word[]>> pages_;
  std::array<Place, kLast> last_{};  // The pages that were asked for last.
};

}  // namespace kernelmill
