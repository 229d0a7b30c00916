#include "corpora/records/verdict.h"

#include <gtest/gtest.h>

#include "corpora/records/task.h"

namespace kernelmill {
namespace {

TEST(VerdictReasons, OfWhatWasNotComparedSayNothingAboutTheCandidate) {
  Verdict verdict;
  verdict.status = VerdictStatus::kUndecided;
  for (const std::string_view reason : {kNotSanitized, kNotCompared}) {
    verdict.reason = reason;
    EXPECT_NE(ExplainVerdictReason(verdict.status, reason), "");
    EXPECT_EQ(verdict.Reward(), std::nullopt);
  }
}

TEST(VerdictGeneralityTest, IsWrittenAndRead) {
  Verdict verdict;
  verdict.status = VerdictStatus::kCorrect;
  verdict.backend = "cuda";
  verdict.contract.any_layout = true;
  verdict.generality = {Grade::kRefuses, Grade::kAll};
  const Json json = verdict.ToJson();
  EXPECT_EQ(json.TextAt("contract"), "fixed_shapes,any_layout,usual_values");
  EXPECT_EQ(json.Find("generality")->TextAt("sizes"), "refuses");
  EXPECT_EQ(json.Find("generality")->TextAt("layouts"), "all");
  const Result<Verdict> read = Verdict::FromJson(json);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->ToJson().Dump(), json.Dump());
  EXPECT_EQ(read->contract, verdict.contract);
}

// Trials that the contract does not ask for are graded, and give and take no reward.
TEST(VerdictReward, CountsTheTrialsOfTheContract) {
  Verdict verdict;
  verdict.status = VerdictStatus::kWrong;
  verdict.trials = {{"own", "own", "own", true},
                    {"own", "own", "own", false},
                    {"grading", "own", "own", false},
                    {"own", "own", "strided", false},
                    {"rare_values", "nan", "own", false},
                    {"module_buffers", "own", "own", false}};
  EXPECT_EQ(verdict.PassRate(), 0.5);
  verdict.contract.any_shape = true;
  EXPECT_EQ(verdict.PassRate(), 1.0 / 3.0);
  verdict.contract.any_layout = true;
  EXPECT_EQ(verdict.PassRate(), 0.25);
  verdict.contract.any_values = true;
  EXPECT_EQ(verdict.PassRate(), 0.2);
  verdict.contract.module_buffers = true;
  EXPECT_EQ(verdict.PassRate(), 1.0 / 6.0);
}

TEST(TaskContractTest, IsReadFromItsWords) {
  EXPECT_EQ(TaskContract::Parse("").value(), TaskContract());
  EXPECT_EQ(TaskContract::Parse("any_layout").value(), (TaskContract{false, true}));
  EXPECT_EQ(TaskContract::Parse("any_layout,any_shape").value(), kAnyShapeAndLayout);
  EXPECT_EQ(TaskContract::Parse("any_values").value(), (TaskContract{false, false, true}));
  for (const TaskContract& contract :
       {TaskContract(), kAnyShapeAndLayout, TaskContract{true, true, true},
        TaskContract{false, true, false, true}}) {
    EXPECT_EQ(TaskContract::Parse(contract.Text()).value(), contract);
  }
  EXPECT_EQ(TaskContract::Parse("outputs_alone").value(), TaskContract());
  EXPECT_EQ(TaskContract().With(kAnyShapeAndLayout).With({.module_buffers = true}),
            (TaskContract{true, true, false, true}));
  EXPECT_EQ(Task{.shape_contract = "any_shape"}.Contract(), (TaskContract{true, false}));
  for (const char* text : {"any", "any_shape,fixed_shapes", ",", "any_shape any_layout"}) {
    EXPECT_EQ(TaskContract::Parse(text).status().code(), ErrorCode::kUsage) << text;
  }
}

}  // namespace
}  // namespace kernelmill
