#include "stages/retry/retry_round.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stages/retry/retry_samples.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;

RetryGeneration After(const RetryGeneration& previous, const std::vector<RetryGroup>& groups,
                      const RetryOptions& options = {}) {
  Result<RetryGeneration> next =
      NextRetryGeneration(previous, DigestOf("previous"), groups, options);
  EXPECT_TRUE(next.ok()) << next.status().message();
  EXPECT_TRUE(next->Check().ok()) << next->Check().message();
  return *next;
}

RetryGroup Failed(const std::string& task, bool retry = false) {
  return GroupOf(task, {NotBuilt(), Wrong(1), Wrong(0), Wrong(0)}, retry);
}
RetryGroup Solved(const std::string& task, bool retry = false) {
  return GroupOf(task, {NotBuilt(), Wrong(1), Correct(), Wrong(0)}, retry);
}

// The codes of the queue.
std::string QueueOf(const RetryGeneration& generation) {
  std::string codes;
  for (const RetryEntry& entry : generation.entries) codes += entry.code + " ";
  return codes;
}

TEST(RetryRound, HoldsAllFailedGroupsInOrder) {
  const RetryGeneration first =
      After({}, {Failed("b"), Solved("c"), Failed("a"), GroupOf("d", {Wrong(0), Wrong(0)})});
  EXPECT_EQ(first.round, 1);
  EXPECT_EQ(first.previous, DigestOf("previous"));
  EXPECT_EQ(QueueOf(first), "b/1 a/1 ");
  EXPECT_EQ(first.entries[0].round, 1);
  EXPECT_EQ(first.entries[0].attempts, 0);
  EXPECT_EQ(first.entries[0].lineage, std::vector{DigestOf("b/1")});
  EXPECT_EQ(first.changes.entered, 2);
  EXPECT_EQ(first.changes.passed_by, (std::map<std::string, std::int64_t>{{"too_few_scored", 1}}));
}

TEST(RetryRound, BackendsOfATaskHaveEntriesOfTheirOwn) {
  RetryGroup musa = Failed("a");
  musa.key.backend = "musa";
  EXPECT_EQ(After({}, {Failed("a"), musa}).entries.size(), 2u);
}

TEST(RetryRound, KeepsTheCandidateThatCameClosest) {
  const RetryGeneration first = After({}, {Failed("a"), Failed("b")});
  RetryGroup closer = GroupOf("a", {Wrong(2), Wrong(0), Wrong(0), Wrong(0)});
  closer.samples[0] = SampleNamed("closer", Wrong(2));
  const RetryGeneration second = After(first, {closer});
  EXPECT_EQ(QueueOf(second), "closer b/1 ");  // It keeps its place.
  EXPECT_EQ(second.entries[0].round, 1);
  EXPECT_EQ(second.entries[0].lineage, (std::vector{DigestOf("a/1"), DigestOf("closer")}));
  EXPECT_EQ(second.changes.replaced, 1);
  EXPECT_EQ(QueueOf(After(second, {Failed("a")})), "closer b/1 ");
}

TEST(RetryRound, ParksATaskAfterTwoAttempts) {
  RetryGeneration generation = After({}, {Failed("a"), Failed("b")});
  generation = After(generation, {Failed("a", true)});
  EXPECT_EQ(QueueOf(generation), "b/1 a/1 ");  // It went to the end.
  EXPECT_EQ(generation.entries[1].attempts, 1);
  EXPECT_EQ(generation.changes.returned, 1);
  generation = After(generation, {Failed("a", true)});
  EXPECT_EQ(QueueOf(generation), "b/1 ");
  EXPECT_EQ(generation.changes.parked, 1);
  ASSERT_EQ(generation.parked.size(), 1u);
  EXPECT_EQ(generation.parked[0].key, KeyOf("a"));
  EXPECT_EQ(generation.parked[0].round, 3);
  // It does not come back, unless somebody solves it.
  generation = After(generation, {Failed("a")});
  EXPECT_EQ(QueueOf(generation), "b/1 ");
  EXPECT_EQ(generation.changes.passed_by.at("parked"), 1);
  generation = After(generation, {Solved("a")});
  EXPECT_TRUE(generation.parked.empty());
  EXPECT_EQ(QueueOf(After(generation, {Failed("a")})), "b/1 a/1 ");
}

TEST(RetryRound, ARetryThatWasNotScoredIsNoAttempt) {
  const RetryGeneration first = After({}, {Failed("a"), Failed("b")});
  const Verdict undecided = Undecided();
  const RetryGeneration second =
      After(first, {GroupOf("a", {undecided, undecided, Wrong(0), Wrong(0)}, true)});
  EXPECT_EQ(QueueOf(second), "a/1 b/1 ");
  EXPECT_EQ(second.entries[0].attempts, 0);
}

TEST(RetryRound, ASolvedTaskLeaves) {
  const RetryGeneration first = After({}, {Failed("a"), Failed("b")});
  for (const bool retry : {false, true}) {
    const RetryGeneration second = After(first, {Solved("b", retry)});
    EXPECT_EQ(QueueOf(second), "a/1 ");
    EXPECT_EQ(second.changes.solved, 1);
  }
}

TEST(RetryRound, OfTwoGroupsOfATaskOneSolutionIsEnough) {
  for (const auto& groups :
       {std::vector{Failed("a"), Solved("a")}, std::vector{Solved("a"), Failed("a")}}) {
    EXPECT_EQ(QueueOf(After({}, groups)), "");
  }
  RetryGeneration once = After(After({}, {Failed("a")}), {Failed("a", true)});
  for (const auto& groups :
       {std::vector{Failed("a", true), Solved("a")}, std::vector{Solved("a"), Failed("a", true)}}) {
    const RetryGeneration next = After(once, groups);
    EXPECT_EQ(QueueOf(next), "");
    EXPECT_TRUE(next.parked.empty());
    EXPECT_EQ(next.changes.solved, 1);
  }
}

TEST(RetryRound, EntriesLiveForTwentyRounds) {
  RetryGeneration generation = After({}, {Failed("a")});
  for (int round = 2; round <= 20; ++round) generation = After(generation, {});
  // Round 21 is the last that can draw it.
  EXPECT_EQ(QueueOf(generation), "a/1 ");
  generation = After(generation, {});
  EXPECT_EQ(QueueOf(generation), "");
  EXPECT_EQ(generation.changes.expired, 1);
}

TEST(RetryRound, AReturnedEntryLivesForAnotherTwentyRounds) {
  RetryGeneration generation = After({}, {Failed("a")});
  for (int round = 2; round <= 20; ++round) {
    generation =
        After(generation, round == 19 ? std::vector{Failed("a", true)} : std::vector<RetryGroup>());
  }
  EXPECT_EQ(generation.entries.at(0).attempts, 1);
  EXPECT_EQ(generation.entries.at(0).round, 19);
  for (int round = 21; round <= 38; ++round) generation = After(generation, {});
  EXPECT_EQ(generation.entries.size(), 1u);
  EXPECT_EQ(After(generation, {}).changes.expired, 1);
}

TEST(RetryRound, TheOldestLeaveWhenThereAreTooMany) {
  const RetryOptions options = {.capacity = 3};
  const RetryGeneration first = After({}, {Failed("a"), Failed("b"), Failed("c")}, options);
  const RetryGeneration second = After(first, {Failed("d"), Failed("e")}, options);
  EXPECT_EQ(QueueOf(second), "c/1 d/1 e/1 ");
  EXPECT_EQ(second.changes.evicted, 2);
  EXPECT_EQ(RetryOptions().capacity, 1024);
}

TEST(RetryRound, AttacksNeverEnter) {
  const Verdict attack = Illegal("reaches_interpreter");
  RetryGeneration generation = After({}, {GroupOf("a", {attack, attack, attack, attack})});
  EXPECT_EQ(QueueOf(generation), "");
  EXPECT_EQ(generation.changes.passed_by.at("only_attacks"), 1);
  // Nor do they replace what is there.
  generation = After(After({}, {GroupOf("b", {NotBuilt(), NotBuilt(), NotBuilt(), NotBuilt()})}),
                     {GroupOf("b", {attack, attack, attack, attack}, true)});
  EXPECT_EQ(generation.entries.at(0).verdict.reason, "compile_error");
  EXPECT_EQ(generation.entries.at(0).attempts, 1);
}

TEST(RetryRound, RefusesRetriesOfAnotherGeneration) {
  const RetryGeneration first = After({}, {Failed("a")});
  const auto refusal = [&](const std::vector<RetryGroup>& groups) {
    return NextRetryGeneration(first, DigestOf("previous"), groups, {}).status();
  };
  EXPECT_EQ(refusal({Failed("b", true)}).code(), ErrorCode::kPlanChanged);
  EXPECT_THAT(refusal({Failed("b", true)}).message(), HasSubstr(DigestOf("b").Hex()));
  EXPECT_EQ(refusal({Failed("a", true), Failed("a", true)}).code(), ErrorCode::kPlanChanged);
  EXPECT_EQ(refusal({Failed("b"), Failed("b", true)}).code(), ErrorCode::kPlanChanged);
}

TEST(RetryRound, TakesOtherOptionsFromOneRoundToTheNext) {
  RetryGeneration generation = After({}, {Failed("a"), Failed("b")}, {.max_attempts = 5});
  for (int i = 0; i < 3; ++i)
    generation = After(generation, {Failed("a", true)}, {.max_attempts = 5});
  generation = After(generation, {}, {.capacity = 1, .max_attempts = 2});
  EXPECT_EQ(QueueOf(generation), "b/1 ");
  EXPECT_EQ(generation.changes.parked, 1);
}

TEST(RetryOptions, AreChecked) {
  EXPECT_TRUE(RetryOptions().Check().ok());
  for (const RetryOptions& bad :
       {RetryOptions{.capacity = 0}, RetryOptions{.time_to_live = 0},
        RetryOptions{.max_attempts = 0}, RetryOptions{.max_probability = 1.5},
        RetryOptions{.max_probability = NAN}, RetryOptions{.full_at = 0},
        RetryOptions{.min_scored = 0}, RetryOptions{.beta = -1}, RetryOptions{.half_life = 0}}) {
    EXPECT_EQ(bad.Check().code(), ErrorCode::kConfig);
    EXPECT_THAT(bad.Check().message(), HasSubstr("retry."));
    EXPECT_EQ(NextRetryGeneration({}, {}, {}, bad).status().code(), ErrorCode::kConfig);
  }
  const RetryOptions weighted = {.choice = RetryChoice::kWeighted, .beta = 2};
  EXPECT_EQ(RetryOptions::FromJson(weighted.ToJson()).value(), weighted);
}

}  // namespace
}  // namespace kernelmill
