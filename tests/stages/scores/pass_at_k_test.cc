#include "stages/scores/pass_at_k.h"

#include <gtest/gtest.h>

#include <bit>

namespace kernelmill {
namespace {

// Counts the subsets of k samples that hold a correct one.
double ByCounting(int samples, int correct, int k) {
  const unsigned right = (1u << correct) - 1;
  int all = 0, passed = 0;
  for (unsigned subset = 0; subset < 1u << samples; ++subset) {
    if (std::popcount(subset) != k) continue;
    ++all;
    passed += (subset & right) != 0;
  }
  return static_cast<double>(passed) / all;
}

TEST(PassAtK, IsTheShareOfSubsetsWithACorrectSample) {
  for (int samples = 1; samples <= 12; ++samples) {
    for (int correct = 0; correct <= samples; ++correct) {
      for (int k = 1; k <= samples; ++k) {
        EXPECT_NEAR(PassAtK(samples, correct, k), ByCounting(samples, correct, k), 1e-12)
            << samples << " " << correct << " " << k;
      }
    }
  }
}

TEST(PassAtK, HoldsForManySamples) {
  // One correct sample: the chance that it is among the k.
  for (const int k : {1, 10, 500, 99'999}) {
    EXPECT_NEAR(PassAtK(100'000, 1, k), k / 100'000.0, 1e-9) << k;
  }
  EXPECT_EQ(PassAtK(100'000, 0, 50'000), 0.0);
  EXPECT_EQ(PassAtK(100'000, 100'000, 1), 1.0);
}

}  // namespace
}  // namespace kernelmill
