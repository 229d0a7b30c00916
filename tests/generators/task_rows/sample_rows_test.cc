#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "generators/task_rows/row_writers.h"
#include "generators/wording/fenced_code.h"
#include "tests/generators/task_rows/small_known_task.h"

namespace kernelmill {
namespace {

// Its first candidate is correct, and its second one wrong.
KnownTask TaskWithSamples() {
  KnownTask known = SmallTask();
  known.candidates[1].candidate.verdict.status = VerdictStatus::kWrong;
  known.candidates[1].candidate.verdict.reason = "values";
  return known;
}

// A sample with the code of the task's candidate `candidate`, selected for a pool if `selected`.
KnownSample SampleWith(const KnownTask& known, std::size_t candidate, bool selected) {
  const Candidate& shown = known.candidates.at(candidate).candidate;
  KnownSample sample;
  sample.sample.task = known.id;
  sample.sample.backend = shown.backend;
  sample.sample.message =
      "Sample " + std::to_string(known.samples.size()) + ":\n" + Fenced("python", shown.code);
  if (selected) sample.pool = "pool";
  sample.pool_size = selected ? 1 : 0;
  sample.id = DigestOf("sample " + std::to_string(known.samples.size()));
  return sample;
}

KnownSample& AddRight(KnownTask* known) {
  known->samples.push_back(SampleWith(*known, 0, true));
  return known->samples.back();
}
KnownSample& AddWrong(KnownTask* known) {
  known->samples.push_back(SampleWith(*known, 1, false));
  return known->samples.back();
}

std::vector<WrittenRow> RepairRows(const KnownTask& known) {
  std::vector<WrittenRow> rows;
  WriteSampleRepairRows(known, &rows);
  return rows;
}

TEST(SampleRows, AnAnswerToAnotherMistakeRepairsNothing) {
  KnownTask known = TaskWithSamples();
  AddWrong(&known);
  AddRight(&known).sample.repairs = DigestOf("another mistake");
  EXPECT_TRUE(RepairRows(known).empty());
  KnownSample& later = AddRight(&known);
  later.sample.turn = 2;
  EXPECT_TRUE(RepairRows(known).empty());
  const std::string plain = AddRight(&known).sample.message;
  const std::vector<WrittenRow> rows = RepairRows(known);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].training.messages.back().content, plain);
  EXPECT_EQ(rows[0].training.n_turns, 2);
}

TEST(SampleRows, ALaterTurnNeedsItsConversation) {
  KnownTask known = TaskWithSamples();
  KnownSample& later = AddRight(&known);
  later.sample.turn = 2;
  EXPECT_TRUE(IsWithoutQuestion(later.sample));
  later.sample.prompt = {{"user", "Write it."}, {"assistant", "Here."}, {"user", "It is wrong."}};
  EXPECT_FALSE(IsWithoutQuestion(later.sample));
  const WrittenRow row = SampleTranslateRow(known, later);
  EXPECT_EQ(row.training.messages.size(), 4u);
  EXPECT_EQ(row.training.turn, 2);
  EXPECT_EQ(row.training.n_turns, 2);
  EXPECT_FALSE(row.training.trajectory_id.empty());
  later.sample.prompt.clear();
  EXPECT_TRUE(IsWithoutQuestion(later.sample));
  later.sample.turn = 1;
  EXPECT_FALSE(IsWithoutQuestion(later.sample));
  EXPECT_TRUE(SampleTranslateRow(known, later).training.trajectory_id.empty());
}

TEST(SampleRows, AMistakeOfALaterTurnIsNoAnswerToOurQuestion) {
  KnownTask known = TaskWithSamples();
  AddWrong(&known).sample.turn = 2;
  AddRight(&known);
  EXPECT_TRUE(RepairRows(known).empty());
}

}  // namespace
}  // namespace kernelmill
