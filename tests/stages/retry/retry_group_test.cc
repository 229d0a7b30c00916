#include "stages/retry/retry_group.h"

#include <gtest/gtest.h>

#include "corpora/records/sandbox_attack.h"
#include "tests/stages/retry/retry_samples.h"

namespace kernelmill {
namespace {

TEST(SandboxAttackReason, NamesReasonsOfIllegalAnswers) {
  int attacks = 0;
  for (const VerdictReason& reason : AllVerdictReasons()) {
    if (!IsSandboxAttack(reason.name)) continue;
    ++attacks;
    EXPECT_EQ(reason.status, VerdictStatus::kIllegal) << reason.name;
  }
  EXPECT_EQ(attacks, 6);
  for (const char* fallback : {"torch_compute", "fallback", "vendor_library", "decoy_kernel", ""}) {
    EXPECT_FALSE(IsSandboxAttack(fallback)) << fallback;
  }
}

TEST(SandboxAttackReason, IsFoundAmongFindingsOfAnyVerdict) {
  Verdict verdict = Wrong(1);
  EXPECT_FALSE(HasSandboxAttack(verdict));
  verdict.findings = {{"torch_compute", "candidate.py", 1, ""}};
  EXPECT_FALSE(HasSandboxAttack(verdict));
  verdict.findings.push_back({"reaches_interpreter", "candidate.py", 2, ""});
  EXPECT_TRUE(HasSandboxAttack(verdict));
}

TEST(GroupOutcomeOf, CountsGroupsWithFourScoredSamples) {
  const Verdict undecided = Undecided();
  EXPECT_TRUE(GroupOutcomeOf(GroupOf("a", {Wrong(0), Wrong(0), Wrong(0), Wrong(0)}), {}).failed);
  const GroupOutcome few =
      GroupOutcomeOf(GroupOf("a", {Wrong(0), Wrong(0), Wrong(0), undecided, undecided}), {});
  EXPECT_FALSE(few.failed);
  EXPECT_FALSE(few.solved);
  EXPECT_EQ(few.closest, nullptr);
  EXPECT_FALSE(GroupOutcomeOf(GroupOf("a", {}), {}).failed);
}

TEST(GroupOutcomeOf, FailsOnlyWhenAllHaveFailed) {
  const GroupOutcome outcome =
      GroupOutcomeOf(GroupOf("a", {Wrong(0), Correct(), Wrong(3), Wrong(0)}), {});
  EXPECT_TRUE(outcome.solved);
  EXPECT_FALSE(outcome.failed);
  EXPECT_EQ(outcome.closest, nullptr);
  EXPECT_TRUE(GroupOutcomeOf(GroupOf("a", {Correct()}), {}).solved);
}

TEST(GroupOutcomeOf, TakesTheLastGateThenTheLargestShareThenTheSmallestHash) {
  const RetryGroup gates =
      GroupOf("a", {NotBuilt(), Wrong(1), Illegal("fallback"), Wrong(3), Wrong(2)});
  EXPECT_EQ(GroupOutcomeOf(gates, {}).closest->code, "a/3");
  const RetryGroup ties = GroupOf("a", {Wrong(2), Wrong(2), Wrong(2), Wrong(2)});
  const RetrySample* const chosen = GroupOutcomeOf(ties, {}).closest;
  for (const RetrySample& sample : ties.samples) EXPECT_LE(chosen->id, sample.id);
  // A share counts within a gate only.
  const Verdict sanitized = VerdictAt(VerdictStatus::kRace, "sanitize", "within_block", 0);
  EXPECT_EQ(
      GroupOutcomeOf(GroupOf("a", {Wrong(3), sanitized, Wrong(3), Wrong(3)}), {}).closest->code,
      "a/1");
}

TEST(GroupOutcomeOf, NeverShowsAnAttack) {
  // The attack came furthest, and a fallback next.
  Verdict attack = Wrong(3);
  attack.findings = {{"patches_torch", "candidate.py", 1, "assigns to torch.relu"}};
  const VerdictStatus no_answer = VerdictStatus::kNoAnswer;
  const Verdict unread = VerdictAt(no_answer, "extract", "syntax_error");
  const GroupOutcome outcome =
      GroupOutcomeOf(GroupOf("a", {attack, unread, Illegal("fallback"), attack}), {});
  EXPECT_EQ(outcome.closest->verdict.reason, "fallback");
  const GroupOutcome none = GroupOutcomeOf(GroupOf("a", {attack, attack, attack, attack}), {});
  EXPECT_TRUE(none.failed);
  EXPECT_EQ(none.closest, nullptr);
  EXPECT_EQ(none.why_none, kOnlyAttacks);
}

TEST(GroupOutcomeOf, NeedsCodeThatCanBeShown) {
  const Verdict unread = VerdictAt(VerdictStatus::kNoAnswer, "extract", "no_code");
  RetryGroup group = GroupOf("a", {unread, unread, unread, unread});
  for (RetrySample& sample : group.samples) sample.code.clear();
  EXPECT_EQ(GroupOutcomeOf(group, {}).why_none, kNoCodeToRetry);
  group.samples[2].code = "\xff";
  EXPECT_EQ(GroupOutcomeOf(group, {}).why_none, kNoCodeToRetry);
  group.samples[2].code = "x = (";
  EXPECT_EQ(GroupOutcomeOf(group, {}).closest, &group.samples[2]);
  group.samples[2].verdict.reason = "too_long";
  EXPECT_EQ(GroupOutcomeOf(group, {}).closest, nullptr);
}

TEST(RetryProgress, FollowsTheGates) {
  std::int64_t last = -1;
  for (const char* gate : {"extract", "legality", "compile", "load", "correctness", "sanitize"}) {
    const RetryProgress progress =
        RetryProgress::Of(VerdictAt(VerdictStatus::kWrong, gate, "values", 3));
    EXPECT_EQ(progress.gate, last + 1) << gate;
    EXPECT_EQ(progress.q, 0.75);
    EXPECT_GE(progress.Closeness(), 0);
    EXPECT_LT(progress.Closeness(), 1);
    last = progress.gate;
  }
}

}  // namespace
}  // namespace kernelmill
