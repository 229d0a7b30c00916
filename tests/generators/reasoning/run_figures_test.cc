#include "generators/reasoning/run_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelmill {
namespace {

CountedWork Work() {
  return {.launches = 2,
          .requests = 1000,
          .sectors = 4000,
          .bank_conflicts = 100,
          .atomics = 10,
          .threads = 65536,
          .all_counted = true};
}

TEST(CountedWork, LessOfOneAndMoreOfNoneIsBetter) {
  const auto better = [](std::int64_t CountedWork::* field, std::int64_t value) {
    CountedWork after = Work();
    after.*field = value;
    return IsStrictlyBetter(after, Work());
  };
  EXPECT_FALSE(IsStrictlyBetter(Work(), Work()));
  EXPECT_TRUE(better(&CountedWork::launches, 1));
  EXPECT_TRUE(better(&CountedWork::sectors, 3600));
  EXPECT_TRUE(better(&CountedWork::requests, 250));
  EXPECT_TRUE(better(&CountedWork::bank_conflicts, 0));
  // A gain below a tenth does not count.
  EXPECT_FALSE(better(&CountedWork::sectors, 3601));
  for (const auto field : {&CountedWork::launches, &CountedWork::requests, &CountedWork::sectors,
                           &CountedWork::bank_conflicts, &CountedWork::atomics}) {
    CountedWork after = Work();
    after.sectors = after.launches = after.requests = after.bank_conflicts = after.atomics = 0;
    EXPECT_TRUE(IsStrictlyBetter(after, Work()));
    after.*field = Work().*field + 1;
    EXPECT_FALSE(IsStrictlyBetter(after, Work()));
  }
}

TEST(CountedWork, AnIdleDeviceIsNotBetter) {
  CountedWork after = Work();
  after.sectors = 1000;
  after.threads = 65536 / 8;
  EXPECT_TRUE(IsStrictlyBetter(after, Work()));
  --after.threads;
  EXPECT_FALSE(IsStrictlyBetter(after, Work()));
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
  EXPECT_FALSE(IsStrictlyBetter(CountedWorkOf(verdict), Work()));
}

}  // namespace
}  // namespace kernelmill
