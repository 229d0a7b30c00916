#include "stages/engine/retry_wait.h"

#include <gtest/gtest.h>

#include <set>

namespace kernelmill {
namespace {

using std::chrono::milliseconds;

TEST(RetryWait, DoublesUpToAMinuteAndIsDrawnFromTheUpperHalf) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    RetryWait wait(milliseconds(1'000), seed);
    for (int failures = 1; failures < 100; ++failures) {
      const std::int64_t whole = failures > 6 ? 60'000 : 1'000 << (failures - 1);
      const std::int64_t drawn = wait.After(failures).count();
      EXPECT_LE(drawn, whole);
      EXPECT_GE(drawn, whole / 2);
    }
  }
}

TEST(RetryWait, RequestsThatFailedTogetherComeBackApart) {
  RetryWait wait(milliseconds(1'000), 5);
  std::set<std::int64_t> drawn;
  for (int i = 0; i < 50; ++i) drawn.insert(wait.After(1).count());
  EXPECT_GT(drawn.size(), 30u);
}

TEST(RetryWait, CanBeNothing) { EXPECT_EQ(RetryWait(milliseconds(0), 1).After(9).count(), 0); }

}  // namespace
}  // namespace kernelmill
