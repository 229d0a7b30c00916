#include "stages/retry/retry_draw.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "tests/stages/retry/retry_samples.h"

namespace kernelmill {
namespace {

// A generation of `count` entries that passed 0, 1, 2, 3, 0, … of four trials.
RetryGeneration Buffer(int count) {
  RetryGeneration generation;
  generation.round = 7;
  for (int i = 0; i < count; ++i) {
    generation.entries.push_back({.key = KeyOf(std::to_string(i)),
                                  .code = "x",
                                  .verdict = Wrong(i % 4),
                                  .round = 7,
                                  .lineage = {DigestOf(std::to_string(i))}});
  }
  return generation;
}

// Whether `count` of `trials` fits the probability p: within five standard deviations.
void ExpectShare(double p, double count, double trials) {
  EXPECT_NEAR(count / trials, p, 5 * std::sqrt(p * (1 - p) / trials) + 1e-9);
}

TEST(RetryProbability, GrowsWithTheBuffer) {
  EXPECT_EQ(RetryProbability(0, {}), 0);
  EXPECT_DOUBLE_EQ(RetryProbability(16, {}), 0.025);
  EXPECT_DOUBLE_EQ(RetryProbability(64, {}), 0.1);
  EXPECT_DOUBLE_EQ(RetryProbability(1024, {}), 0.1);
}

TEST(DrawRetries, TakesTheQueueInOrderAndNothingTwice) {
  const RetryGeneration generation = Buffer(20);
  const std::vector<RetryDraw> draws = DrawRetries(generation, {}, 3, 5000);
  ASSERT_EQ(draws.size(), 20u);  // All of them, and no more.
  for (std::size_t i = 0; i < draws.size(); ++i) {
    EXPECT_EQ(draws[i].entry, i);
    if (i > 0) {
      EXPECT_GT(draws[i].slot, draws[i - 1].slot);
    }
  }
  EXPECT_TRUE(DrawRetries(Buffer(0), {}, 3, 5000).empty());
}

TEST(DrawRetries, DependsOnSeedRoundAndSlotAlone) {
  RetryGeneration generation = Buffer(100);
  const std::vector<RetryDraw> draws = DrawRetries(generation, {}, 3, 200);
  EXPECT_EQ(DrawRetries(generation, {}, 3, 200), draws);
  EXPECT_NE(DrawRetries(generation, {}, 4, 200), draws);
  // More slots do not change the first ones.
  std::vector<RetryDraw> more = DrawRetries(generation, {}, 3, 400);
  more.resize(draws.size());
  EXPECT_EQ(more, draws);
  ++generation.round;
  EXPECT_NE(DrawRetries(generation, {}, 3, 200), draws);
}

TEST(DrawRetries, SlotsAreRetriesWithTheProbability) {
  constexpr int kSeeds = 400, kSlots = 64;
  for (const int entries : {16, 32, 64, 1024}) {
    double retries = 0;
    for (int seed = 0; seed < kSeeds; ++seed) {
      retries += static_cast<double>(DrawRetries(Buffer(entries), {}, seed, kSlots).size());
    }
    ExpectShare(RetryProbability(static_cast<std::size_t>(entries), {}), retries, kSeeds * kSlots);
  }
}

TEST(DrawRetries, WeightedChoicePrefersWhatCameClose) {
  RetryOptions options = {.max_probability = 1, .choice = RetryChoice::kWeighted, .beta = 3};
  options.full_at = 1;  // Every slot is a retry.
  RetryGeneration generation = Buffer(4);
  generation.entries[0].verdict = NotBuilt();
  generation.entries[3].round = 1;  // It is old.
  std::vector<double> weights;
  double total = 0;
  for (const RetryEntry& entry : generation.entries) {
    weights.push_back(RetryWeight(entry, 8, options));
    total += weights.back();
  }
  EXPECT_DOUBLE_EQ(weights[1] / weights[2], std::pow((4.25 / 7 + 0.05) / (4.5 / 7 + 0.05), 3));
  EXPECT_DOUBLE_EQ(weights[3], std::pow(4.75 / 7 + 0.05, 3) * std::exp2(-0.7));
  std::map<std::size_t, double> first;
  constexpr int kSeeds = 20000;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const std::vector<RetryDraw> draws = DrawRetries(generation, options, seed, 10);
    std::set<std::size_t> drawn;
    for (const RetryDraw& draw : draws) drawn.insert(draw.entry);
    ASSERT_EQ(drawn.size(), 4u);
    ASSERT_EQ(draws.size(), 4u);
    ++first[draws[0].entry];
  }
  for (std::size_t i = 0; i < 4; ++i) ExpectShare(weights[i] / total, first[i], kSeeds);
}

TEST(RetryWeight, HalvesWithAge) {
  const RetryEntry entry = Buffer(1).entries[0];
  EXPECT_DOUBLE_EQ(RetryWeight(entry, 17, {}) / RetryWeight(entry, 7, {}), 0.5);
  EXPECT_DOUBLE_EQ(RetryWeight(entry, 7, {.beta = 0}), 1);
}

}  // namespace
}  // namespace kernelmill
