#include "stages/cuda_executor/runtime/races/shadow_memory.h"

#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

namespace kernelmill {
namespace {

// Compared with a map: neighbours, far addresses, and numbers that share places.
TEST(ShadowMemory, KeepsEachWordAndForgetsAllOfThem) {
  struct Word {
    std::uint64_t value = 7;
  };
  ShadowMemory<Word> shadow;
  std::mt19937_64 random(1);
  for (int launch = 0; launch < 3; ++launch) {
    shadow.Clear();
    std::unordered_map<std::uint64_t, std::pair<std::uint64_t, Word*>> expected;
    for (int step = 0; step < 200'000; ++step) {
      const std::uint64_t base = (random() % 4) << (random() % 62);
      const std::uint64_t number = base + random() % 20'000;
      Word& word = shadow[number];
      const auto [known, fresh] = expected.try_emplace(number, 7, &word);
      ASSERT_EQ(word.value, known->second.first);
      ASSERT_EQ(&word, known->second.second);
      word.value = known->second.first = random();
    }
  }
}

}  // namespace
}  // namespace kernelmill
