#include "stages/select/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "manifests/reason.h"

namespace kernelmill {
namespace {

JudgedSample Correct(const std::string& name, const std::string& cluster,
                     const std::string& task = "task") {
  return {.id = DigestOf(name),
          .task = task,
          .backend = "cuda",
          .judged = true,
          .correct = true,
          .cluster = DigestOf(cluster),
          .tokens = 700,
          .level = 1,
          .family = "norm"};
}

std::map<std::string, int> ReasonsOf(const SampleSelection& selection) {
  std::map<std::string, int> reasons;
  for (const UnselectedSample& one : selection.unselected) ++reasons[one.reason];
  return reasons;
}

TEST(PoolSize, GrowsWithDifficultyUpToTheNumberOfClusters) {
  EXPECT_EQ(PoolSize(0, 0.5, 8), 0);
  EXPECT_EQ(PoolSize(20, 0.5, 8), 4);
  EXPECT_EQ(PoolSize(20, 0.51, 8), 4);
  EXPECT_EQ(PoolSize(20, 0.49, 8), 5);
  EXPECT_EQ(PoolSize(3, 0.1, 8), 3);
  EXPECT_EQ(PoolSize(3, 0.999, 8), 1);
  EXPECT_EQ(PoolSize(20, 0.0, 8), 8);
}

TEST(SelectSamples, TakesOneRepresentativeOfEachClusterAndWeighsThePool) {
  std::vector<JudgedSample> samples = {Correct("a", "x"), Correct("b", "x"), Correct("c", "y"),
                                       Correct("d", "z")};
  samples[1].seconds = 1e-3;  // The only one that was measured.
  samples.push_back({.id = DigestOf("e"), .task = "task", .backend = "cuda", .judged = true});
  samples.push_back({.id = DigestOf("f"), .task = "task", .backend = "cuda"});
  const SampleSelection selection = SelectSamples(samples, {});
  ASSERT_EQ(selection.pools.size(), 1u);
  const PoolReport& pool = selection.pools[0];
  EXPECT_EQ(pool.judged, 5);
  EXPECT_EQ(pool.correct, 4);
  EXPECT_DOUBLE_EQ(pool.pass_rate, 5.0 / 7);
  EXPECT_EQ(pool.clusters, 3);
  EXPECT_EQ(pool.selected, 3);  // ⌈8 · 2/7⌉ = 3.
  EXPECT_EQ(selection.selected[0].sample, 1u);  // Measured clusters come first.
  EXPECT_EQ(selection.selected[0].cluster_size, 2);
  for (const PooledSample& one : selection.selected) {
    EXPECT_DOUBLE_EQ(one.weight, 1.0 / 3);
    EXPECT_EQ(one.pool_id, selection.selected[0].pool_id);
    EXPECT_EQ(one.cluster_id, samples[one.sample].cluster);
  }
  EXPECT_THAT(ReasonsOf(selection),
              testing::ElementsAre(testing::Pair("not_correct", 1), testing::Pair("not_judged", 1),
                                   testing::Pair("same_structure", 1)));
}

TEST(SelectSamples, RanksByTimeThenCountersThenSizesThenHashNeverByLength) {
  const auto first_of = [](JudgedSample a, JudgedSample b) {
    a.tokens = 9000;  // If length decided, one of the two orders would differ.
    const std::size_t one = SelectSamples({a, b}, {}).selected[0].sample;
    std::swap(a.tokens, b.tokens);
    EXPECT_EQ(SelectSamples({a, b}, {}).selected[0].sample, one);
    return one;
  };
  JudgedSample a = Correct("a", "x"), b = Correct("b", "x");
  const std::size_t by_hash = a.id < b.id ? 0 : 1;
  EXPECT_EQ(first_of(a, b), by_hash);
  (by_hash == 0 ? b : a).sizes_passed = 1;
  EXPECT_EQ(first_of(a, b), 1 - by_hash);
  (by_hash == 0 ? a : b).sectors = 512;  // None counted on the other.
  EXPECT_EQ(first_of(a, b), by_hash);
  (by_hash == 0 ? b : a).seconds = 2.0;
  EXPECT_EQ(first_of(a, b), 1 - by_hash);
  (by_hash == 0 ? a : b).seconds = 1.0;
  EXPECT_EQ(first_of(a, b), by_hash);
}

TEST(SelectSamples, PoolsAreApartByTaskAndBackend) {
  JudgedSample musa = Correct("c", "x");
  musa.backend = "musa";
  const SampleSelection selection =
      SelectSamples({Correct("a", "x"), Correct("b", "x", "other"), musa}, {});
  EXPECT_EQ(selection.pools.size(), 3u);
  std::set<Digest> pools;
  for (const PooledSample& one : selection.selected) {
    pools.insert(one.pool_id);
    EXPECT_EQ(one.weight, 1);
  }
  EXPECT_EQ(pools.size(), 3u);
}

TEST(SelectSamples, ObjectionsAndLongRowsAreNeitherSelectedNorRepresented) {
  std::vector<JudgedSample> samples = {Correct("a", "x"), Correct("b", "x"), Correct("c", "y")};
  samples[0].objection = "reasoning_loops";
  samples[0].seconds = 1e-6;
  samples[2].tokens = 9000;
  const SampleSelection selection = SelectSamples(samples, {.max_tokens = 8192});
  ASSERT_EQ(selection.selected.size(), 1u);
  EXPECT_EQ(selection.selected[0].sample, 1u);
  EXPECT_EQ(selection.selected[0].cluster_size, 1);
  EXPECT_EQ(selection.pools[0].correct, 3);  // They are correct all the same.
  EXPECT_THAT(ReasonsOf(selection), testing::ElementsAre(testing::Pair("over_budget", 1),
                                                         testing::Pair("reasoning_loops", 1)));
}

TEST(SelectSamples, RandomChoiceIsTheMeanOfManyDraws) {
  std::vector<JudgedSample> samples;
  const int sizes[] = {9, 5, 3, 1, 1, 1};
  for (int cluster = 0; cluster < 6; ++cluster) {
    for (int i = 0; i < sizes[cluster]; ++i) {
      samples.push_back(
          Correct(std::to_string(cluster) + '.' + std::to_string(i), std::to_string(cluster)));
    }
  }
  const std::size_t right = samples.size();
  for (int i = 0; i < 20; ++i) {
    samples.push_back({.id = DigestOf(std::to_string(i)), .task = "task", .backend = "cuda",
                       .judged = true});
  }
  const PoolReport pool = SelectSamples(samples, {}).pools[0];
  ASSERT_EQ(pool.selected, 4);  // p̂ = 1/2.
  std::mt19937_64 random(1);
  double covered = 0;
  constexpr int kDraws = 20000;
  std::vector<std::size_t> order(right);
  for (std::size_t i = 0; i < right; ++i) order[i] = i;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::shuffle(order.begin(), order.end(), random);
    std::set<Digest> seen;
    for (int i = 0; i < pool.selected; ++i) seen.insert(samples[order[i]].cluster);
    covered += static_cast<double>(seen.size());
  }
  EXPECT_NEAR(pool.random_clusters, covered / kDraws, 0.02);
  EXPECT_GT(static_cast<double>(pool.selected), pool.random_clusters);
}

// Samples at random: the result is a partition, weights add up, nothing depends on the order.
TEST(SelectSamples, HoldsForRandomSamplesInAnyOrder) {
  std::mt19937_64 random(7);
  const auto draw = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 200; ++round) {
    std::vector<JudgedSample> samples;
    const int count = 1 + draw(60);
    for (int i = 0; i < count; ++i) {
      JudgedSample sample = Correct(std::to_string(round) + ' ' + std::to_string(i),
                                    std::to_string(draw(6)), std::to_string(draw(5)));
      sample.judged = draw(8) != 0;
      sample.correct = sample.judged && draw(3) != 0;
      if (draw(9) == 0) sample.objection = "cut_off";
      sample.seconds = draw(3) * 1e-3;
      sample.tokens = 100 + draw(4000);
      sample.level = draw(4);
      sample.family = draw(2) == 0 ? "norm" : "matmul";
      samples.push_back(sample);
    }
    SelectionOptions options{.k_max = 1 + draw(8)};
    if (draw(2) == 0) options.max_samples = 1 + draw(20);
    if (draw(2) == 0) options.token_budget = 500 + draw(20000);
    if (draw(2) == 0) options.max_tokens = 3000;
    const SampleSelection selection = SelectSamples(samples, options);
    std::set<std::size_t> all;
    std::map<Digest, double> weights;
    std::map<Digest, std::set<Digest>> clusters;
    std::set<Digest> chosen;
    std::int64_t tokens = 0;
    for (const PooledSample& one : selection.selected) {
      EXPECT_TRUE(all.insert(one.sample).second);
      EXPECT_TRUE(samples[one.sample].correct && samples[one.sample].objection.empty());
      EXPECT_TRUE(clusters[one.pool_id].insert(one.cluster_id).second) << "one of each cluster";
      weights[one.pool_id] += one.weight;
      tokens += samples[one.sample].tokens;
      chosen.insert(samples[one.sample].id);
    }
    for (const UnselectedSample& one : selection.unselected) {
      EXPECT_TRUE(all.insert(one.sample).second);
      EXPECT_FALSE(ExplainReason(one.reason).empty()) << one.reason;
    }
    EXPECT_EQ(all.size(), samples.size());
    for (const auto& [pool, weight] : weights) EXPECT_NEAR(weight, 1, 1e-12);
    if (options.max_samples > 0) {
      EXPECT_LE(static_cast<std::int64_t>(selection.selected.size()), options.max_samples);
    }
    if (options.token_budget > 0) EXPECT_LE(tokens, options.token_budget);
    for (const PoolReport& pool : selection.pools) {
      EXPECT_LE(pool.selected, PoolSize(pool.clusters, pool.pass_rate, options.k_max));
    }
    std::shuffle(samples.begin(), samples.end(), random);
    std::set<Digest> again;
    for (const PooledSample& one : SelectSamples(samples, options).selected) {
      again.insert(samples[one.sample].id);
    }
    EXPECT_EQ(again, chosen);
  }
}

TEST(SelectSamples, WhatNoBudgetHoldsDoesNotEndTheChoice) {
  std::vector<JudgedSample> samples = {Correct("a", "x", "0"), Correct("b", "x", "1")};
  samples[0].family = "a";  // Its cell comes first.
  samples[0].tokens = 1200;
  samples[1].tokens = 100;
  const SampleSelection selection = SelectSamples(samples, {.token_budget = 1000});
  ASSERT_EQ(selection.selected.size(), 1u);
  EXPECT_EQ(selection.selected[0].sample, 1u);
  EXPECT_EQ(ReasonsOf(selection).at("balance"), 1);
}

TEST(SelectSamples, ABudgetIsSpreadOverTheAxes) {
  std::vector<JudgedSample> samples;
  for (int i = 0; i < 90; ++i) {  // Most tasks are norms of level 1.
    samples.push_back(Correct(std::to_string(i), "x", std::to_string(i)));
    if (i % 9 == 0) samples.back().family = "matmul";
    if (i % 9 == 1) samples.back().level = 2;
  }
  const SampleSelection selection = SelectSamples(samples, {.max_samples = 20});
  EXPECT_EQ(selection.balance.at("family").at("matmul").eligible, 10);
  EXPECT_EQ(selection.balance.at("family").at("matmul").selected, 10);
  EXPECT_EQ(selection.balance.at("level").at("2").selected, 10);
  EXPECT_EQ(ReasonsOf(selection).at("balance"), 70);
  const Json json = selection.ToJson();
  EXPECT_EQ(json.IntegerAt("selected"), 20);
  EXPECT_EQ(json.Find("unselected")->IntegerAt("balance"), 70);
}

}  // namespace
}  // namespace kernelmill
