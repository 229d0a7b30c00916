#include "stages/answer/answer_step.h"

#include <gtest/gtest.h>

#include "corpora/records/candidate.h"
#include "corpora/records/task.h"
#include "tests/shared_suite.h"

namespace kernelmill {
namespace {

class AnswerStepTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::vector<ConfigKey> keys = AnswerKeys();
    keys.push_back({"seed", ConfigType::kInteger, 7, "", "", {}});
    const Result<Config> config = Config::Parse(keys, "{}", "test.yaml",
                                                {"answer.variants=1", "answer.backends=[cuda]",
                                                 "answer.sanitize=false", "answer.profile=false"});
    ASSERT_TRUE(config.ok()) << config.status().message();
    step_ = std::make_unique<AnswerStep>(AnswerStep::Of(*config).value());
    lane_ = step_->OpenLane().value();
  }
  static void TearDownTestSuite() {
    lane_.reset();
    step_.reset();
  }

  // The outcome for a task whose forward() returns this expression.
  static Outcome OutcomeOf(const std::string& expression) {
    Task task;
    task.code =
        "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n"
        "    def forward(self, x):\n        return " +
        expression +
        "\n\n\ndef get_inputs():\n    return [torch.randn(16, 64)]\n\n\n"
        "def get_init_inputs():\n    return []\n";
    Record record;
    record.kind = RecordKind::kTask;
    record.payload = task.ToJson();
    record.origins.push_back({.url = "urn:local:test", .path = "task.py"});
    const Json input = Json::Object{{"record", record.Encode()}, {"wanted", true}};
    const Result<Outcome> outcome = step_->Process({"key", input.Dump()}, *lane_);
    EXPECT_TRUE(outcome.ok()) << outcome.status().message();
    return outcome.ok() ? *outcome : Outcome();
  }

  static std::unique_ptr<AnswerStep> step_;
  static std::unique_ptr<Lane> lane_;
};
std::unique_ptr<AnswerStep> AnswerStepTest::step_;
std::unique_ptr<Lane> AnswerStepTest::lane_;

KM_SHARED_SUITE(AnswerStepTest);

TEST_F(AnswerStepTest, WhatIsRightIsKept) {
  const Outcome outcome = OutcomeOf("torch.relu(x) + 1");
  ASSERT_EQ(outcome.outputs.size(), 1u);
  const Result<Record> record = Record::Decode(outcome.outputs[0].body);
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(Candidate::FromJson(record->payload)->verdict.status, VerdictStatus::kCorrect);
}

// If every output is NaN, no kernel can be shown to compute anything.
TEST_F(AnswerStepTest, WhatIsNotRightGoesToQuarantineAsItIs) {
  const Outcome outcome = OutcomeOf("torch.log(-torch.abs(x) - 1)");
  EXPECT_EQ(outcome.fate, Fate::kRejected);
  EXPECT_EQ(outcome.reason, "no_right_answer");
  EXPECT_EQ(outcome.detail, "cuda: illegal decoy_kernel");
  ASSERT_EQ(outcome.origins.size(), 1u);
  const Result<Json> original = Json::Parse(outcome.original);
  ASSERT_TRUE(original.ok());
  EXPECT_NE(original->TextAt("task").find("torch.log"), std::string::npos);
  ASSERT_EQ(original->Find("answers")->as_array().size(), 1u);
  const Json& answer = original->Find("answers")->as_array()[0];
  EXPECT_EQ(answer.TextAt("backend"), "cuda");
  EXPECT_NE(answer.TextAt("code").find("class ModelNew"), std::string::npos);
  EXPECT_EQ(answer.Find("verdict")->TextAt("status"), "illegal");
}

TEST_F(AnswerStepTest, WhatNoKernelComputesIsDropped) {
  const Outcome outcome = OutcomeOf("torch.fft.rfft(x).abs()");
  EXPECT_EQ(outcome.fate, Fate::kDropped);
  EXPECT_EQ(outcome.reason, "not_lowered");
}

}  // namespace
}  // namespace kernelmill
