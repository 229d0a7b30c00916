#include "generators/reasoning/run_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelmill {
namespace {

// An answer whose only kernel has these counters, at the task's own sizes.
Candidate Counted(const std::string& strategy, std::int64_t blocks, std::int64_t requests,
                  std::int64_t sectors, std::int64_t launches = 1) {
  Candidate answer;
  answer.backend = "cuda";
  answer.kernels = {{.strategy = strategy, .kernels = {"k"}, .threads = 256, .bytes = 4'000'000}};
  VerdictCounts counts;
  counts.blocks = blocks * launches;
  counts.threads = counts.blocks * 256;
  counts.global_load_requests = requests;
  counts.global_load_sectors = sectors;
  answer.verdict.launches = {{"k", launches, 256, 0, 1.0, counts}};
  return answer;
}

TEST(GainOf, IsWhatCostsTime) {
  const Candidate before = Counted("grid_stride", 400, 50'000, 200'000, 3);
  EXPECT_EQ(GainOf(before, before), Gain::kNone);
  EXPECT_EQ(GainOf(Counted("grid_stride", 400, 50'000, 200'000, 2), before), Gain::kLaunches);
  EXPECT_EQ(GainOf(Counted("grid_stride", 400, 50'000, 100'000, 3), before), Gain::kSectors);
  // Requests alone, as 16-byte accesses save them, hardly change the time.
  EXPECT_EQ(GainOf(Counted("vectorised", 400, 12'500, 200'000, 3), before), Gain::kNone);
  // Nor does a tenth of the sectors of a short call.
  EXPECT_EQ(GainOf(Counted("vectorised", 150, 768, 8448), Counted("grid_stride", 200, 3072, 9216)),
            Gain::kNone);
  // Half of them shows with larger inputs, if the grid does not shrink.
  EXPECT_EQ(GainOf(Counted("grid_stride", 72, 1000, 4000), Counted("grid_stride", 72, 1000, 8000)),
            Gain::kSectors);
  EXPECT_EQ(GainOf(Counted("grid_stride", 36, 1000, 4000), Counted("grid_stride", 72, 1000, 8000)),
            Gain::kNone);
  // Fewer launches that load more are no gain that counters show.
  EXPECT_EQ(GainOf(Counted("grid_stride", 400, 50'000, 300'000, 2), before), Gain::kNone);
}

TEST(GainOf, AnEstimateCanDecide) {
  Candidate before = Counted("block_of_columns", 37, 1000, 4000);
  Candidate after = Counted("blocks_a_column", 2035, 1100, 4400, 2);
  EXPECT_EQ(GainOf(after, before), Gain::kNone);
  before.estimated_speed = 0.5;
  after.estimated_speed = 1.5;
  EXPECT_EQ(GainOf(after, before), Gain::kSpeed);
  // The other way round it is slower, whatever its counters are.
  EXPECT_EQ(GainOf(before, after), Gain::kNone);
}

TEST(GainOf, ASplitReductionIsNotReplacedByAFewBlocks) {
  const Candidate split = Counted("blocks_a_column", 2035, 30'000, 149'000, 2);
  EXPECT_EQ(GainOf(Counted("block_of_columns", 37, 28'000, 82'000), split), Gain::kNone);
  // At smaller sizes nothing shows that the other grid fills the device.
  Candidate small_split = Counted("blocks_a_column", 120, 30'000, 149'000, 2);
  Candidate small = Counted("block_of_columns", 120, 28'000, 82'000);
  EXPECT_EQ(GainOf(small, small_split), Gain::kLaunches);
  small.verdict.sizes = small_split.verdict.sizes = {{1, {"batch_size"}, 256}};
  EXPECT_EQ(GainOf(small, small_split), Gain::kNone);
}

TEST(GainOf, AnIdleDeviceIsNoGain) {
  const Candidate before = Counted("grid_stride", 400, 50'000, 200'000);
  EXPECT_EQ(GainOf(Counted("grid_stride", 108, 12'500, 50'000), before), Gain::kSectors);
  EXPECT_EQ(GainOf(Counted("grid_stride", 107, 12'500, 50'000), before), Gain::kNone);
}

TEST(CountedWork, WhatWasNotCountedIsNotCompared) {
  Verdict verdict;
  EXPECT_FALSE(CountedWorkOf(verdict).all_counted);
  VerdictCounts counts;
  counts.threads = 64;
  counts.global_load_sectors = 8;
  counts.global_store_sectors = 4;
  verdict.launches = {{"a", 2, 64, 0, 1.0, counts}, {"b", 1, 64, 0, 1.0, counts}};
  EXPECT_TRUE(CountedWorkOf(verdict).all_counted);
  EXPECT_EQ(CountedWorkOf(verdict).launches, 3);
  EXPECT_EQ(CountedWorkOf(verdict).sectors, 24);
  EXPECT_EQ(CountedWorkOf(verdict).threads, 128);
  verdict.launches[1].counts.reset();
  EXPECT_FALSE(CountedWorkOf(verdict).all_counted);
  Candidate uncounted = Counted("grid_stride", 400, 1, 1);
  uncounted.verdict.launches[0].counts.reset();
  EXPECT_EQ(GainOf(uncounted, Counted("grid_stride", 400, 1000, 4000)), Gain::kNone);
}

}  // namespace
}  // namespace kernelmill
