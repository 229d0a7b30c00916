#include "stages/launch/rank_share.h"

#include <gmock/gmock.h>

#include <map>
#include <string>

namespace kernelmill {
namespace {

using ::testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

Result<Share> Of(const RankWords& words, const Variables& variables) {
  return ShareOf(words, [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(RankShare, ComesFromTheOptionsOrTheCluster) {
  const Variables array = {{"SLURM_ARRAY_TASK_ID", "3"},
                           {"SLURM_ARRAY_TASK_COUNT", "8"},
                           {"SLURM_ARRAY_TASK_MIN", "0"},
                           {"SLURM_ARRAY_TASK_MAX", "7"}};
  const struct {
    RankWords words;
    Variables variables;
    std::int64_t rank, world;
  } cases[] = {
      {{.rank = 2, .world = 5}, {}, 2, 5},
      {{.rank = 2, .world = 5}, array, 2, 5},
      {{}, array, 3, 8},
      {{.world = 100}, array, 3, 100},
      {{.world = 100, .offset = 40}, array, 43, 100},
      {{.world = 4}, {{"JOB_COMPLETION_INDEX", "1"}}, 1, 4},
      {{.world = 9, .offset = 4}, {{"JOB_COMPLETION_INDEX", "1"}}, 5, 9},
  };
  for (const auto& one : cases) {
    const Result<Share> share = Of(one.words, one.variables);
    ASSERT_TRUE(share.ok()) << share.status().message();
    EXPECT_EQ(share->rank, one.rank);
    EXPECT_EQ(share->world, one.world);
  }
}

TEST(RankShare, WhatDoesNotNameOneRankIsRefused) {
  const struct {
    RankWords words;
    Variables variables;
    std::string message;
  } cases[] = {
      {{}, {}, "give --rank"},
      {{.world = 4}, {}, "give --rank"},
      {{.rank = 1}, {}, "give --world"},
      {{.rank = 1}, {{"SLURM_ARRAY_TASK_COUNT", "8"}}, "give --world"},
      {{}, {{"JOB_COMPLETION_INDEX", "1"}}, "give --world"},
      {{.rank = 4, .world = 4}, {}, "not in a world of 4"},
      {{.world = 4, .offset = 4}, {{"JOB_COMPLETION_INDEX", "0"}}, "not in a world of 4"},
      {{.rank = 1, .world = 4, .offset = 1}, {}, "--offset"},
      {{.world = 4}, {{"SLURM_ARRAY_TASK_ID", "x"}}, "SLURM_ARRAY_TASK_ID must be"},
      {{.world = 4}, {{"SLURM_ARRAY_TASK_ID", "-1"}}, "SLURM_ARRAY_TASK_ID must be"},
      // The missing tasks of an array, submitted again.
      {{},
       {{"SLURM_ARRAY_TASK_ID", "3"},
        {"SLURM_ARRAY_TASK_COUNT", "2"},
        {"SLURM_ARRAY_TASK_MIN", "3"},
        {"SLURM_ARRAY_TASK_MAX", "4"}},
       "only a part of the ranks"},
  };
  for (const auto& one : cases) {
    const Result<Share> share = Of(one.words, one.variables);
    EXPECT_EQ(share.status().code(), ErrorCode::kUsage) << one.message;
    EXPECT_THAT(share.status().message(), HasSubstr(one.message));
  }
}

TEST(RankShare, ThePartitionsOfAWorldAreEachOfOneRank) {
  for (const std::int64_t world : {1, 2, 7, 40}) {
    for (std::int64_t partition = 0; partition < 20; ++partition) {
      int owners = 0;
      for (std::int64_t rank = 0; rank < world; ++rank) owners += Share{rank, world}.Has(partition);
      EXPECT_EQ(owners, 1) << partition << " of " << world;
    }
  }
}

}  // namespace
}  // namespace kernelmill
