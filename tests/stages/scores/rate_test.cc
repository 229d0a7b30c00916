#include "stages/scores/rate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace kernelmill {
namespace {

std::vector<double> Passes(int tasks, int passed) {
  std::vector<double> values(static_cast<std::size_t>(tasks), 0.0);
  std::fill_n(values.begin(), passed, 1.0);
  return values;
}

// The values that statsmodels 0.14 gives: proportion_confint(passed, tasks, method="wilson").
TEST(Rate, IsWilsonsIntervalForOneSampleATask) {
  struct Case {
    int tasks, passed;
    double low, high;
  };
  for (const Case& c : {Case{10, 8, 0.4901624715, 0.9433178485}, Case{10, 0, 0.0, 0.2775327999},
                        Case{10, 10, 0.7224672001, 1.0}, Case{100, 50, 0.4038315304, 0.5961684696},
                        Case{1, 1, 0.2065493143, 1.0}}) {
    const Rate rate = RateOf(Passes(c.tasks, c.passed), c.tasks);
    EXPECT_NEAR(rate.low, c.low, 1e-9) << c.tasks << " " << c.passed;
    EXPECT_NEAR(rate.high, c.high, 1e-9) << c.tasks << " " << c.passed;
    EXPECT_EQ(rate.tasks, c.tasks);
  }
}

TEST(Rate, HoldsItsValueAndStaysWithinBounds) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  for (int i = 0; i < 2000; ++i) {
    const int tasks = 1 + static_cast<int>(random() % 40),
              samples = 1 + static_cast<int>(random() % 9);
    std::vector<double> values;
    for (int task = 0; task < tasks; ++task) {
      values.push_back(std::round(share(random) * samples) / samples);
    }
    const Rate rate = RateOf(values, tasks * samples);
    EXPECT_LE(0.0, rate.low);
    EXPECT_LE(rate.low, rate.value);
    EXPECT_LE(rate.value, rate.high);
    EXPECT_LE(rate.high, 1.0);
    EXPECT_LT(rate.low, rate.high);
    // Never wider than with one sample a task, never narrower than with independent samples.
    const Rate twice = RateOf(values, 2 * tasks * samples);
    EXPECT_LE(twice.high - twice.low, rate.high - rate.low + 1e-12);
  }
}

// Tasks of very different difficulty, with a few samples each: the interval must hold the true mean
// in at least nearly 95 % of the runs, where one that took samples as independent would not.
TEST(Rate, HoldsTheTrueMeanAsOftenAsItSays) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (const double easy : {0.1, 0.4, 0.8}) {  // The share of easy tasks.
    constexpr int kRuns = 2000, kTasks = 60, kSamples = 8;
    const double truth = easy * 0.9 + (1 - easy) * 0.05;
    int held = 0, held_by_samples = 0;
    for (int run = 0; run < kRuns; ++run) {
      std::vector<double> values;
      double passes = 0;
      for (int task = 0; task < kTasks; ++task) {
        const double chance = unit(random) < easy ? 0.9 : 0.05;
        int passed = 0;
        for (int sample = 0; sample < kSamples; ++sample) passed += unit(random) < chance;
        values.push_back(static_cast<double>(passed) / kSamples);
        passes += passed;
      }
      const Rate rate = RateOf(values, kTasks * kSamples);
      held += rate.low <= truth && truth <= rate.high;
      const Rate naive =
          RateOf(Passes(kTasks * kSamples, static_cast<int>(passes)), kTasks * kSamples);
      held_by_samples += naive.low <= truth && truth <= naive.high;
    }
    EXPECT_GE(held, kRuns * 93 / 100) << easy;
    EXPECT_LE(held_by_samples, kRuns * 85 / 100) << easy;
  }
}

}  // namespace
}  // namespace kernelmill
