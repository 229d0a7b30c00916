#include "stages/reward/policy_drift.h"

#include <gmock/gmock.h>

#include <fstream>

#include "corpora/records/task.h"
#include "tests/stages/pack/synthetic_dataset.h"

namespace kernelmill {
namespace {

using ::testing::HasSubstr;

// A line of the format plain: token i has the i-th log-prob.
std::string LineOf(const std::string& message, const std::vector<double>& log_probs,
                   const Json::Object& more = {}) {
  Json::Array tokens;
  for (const double log_prob : log_probs) {
    tokens.push_back(Json::Object{{"token", "t" + std::to_string(tokens.size())},
                                  {"token_id", static_cast<std::int64_t>(tokens.size())},
                                  {"logprob", log_prob}});
  }
  Json line = Json::Object{{"task", "relu"}, {"message", message}};
  if (!tokens.empty()) line["logprobs"] = std::move(tokens);
  for (const auto& [key, value] : more) line[key] = value;
  return line.Dump() + "\n";
}

class PolicyDrift : public testing::Test {
 protected:
  PolicyDrift() {
    Record task;
    task.kind = RecordKind::kTask;
    task.payload = Json::Object{{"code", "class Model: pass"}};
    task.attributes["name"] = "relu";
    tasks_.names.Add(task);
    options_.rollout = options_.policy = {.temperature = 1.0, .mode = LogProbMode::kRaw};
  }

  SampleSource Written(const char* name, const std::string& text) {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    return SampleFileAt(path).value();
  }

  Status Checked(const std::string& rollout, const std::string& policy) {
    return CheckPolicyFile({Written("rollout.jsonl", rollout)}, Written("policy.jsonl", policy),
                           "cuda", options_, folder_.path());
  }

  Result<std::map<DriftPlace, TokenDrift>> Drifts(const std::string& rollout,
                                                  const std::string& policy) {
    const std::vector<SampleSource> rollouts = {Written("rollout.jsonl", rollout)};
    return DriftsOf({.rollouts = rollouts,
                     .policy = Written("policy.jsonl", policy),
                     .tasks = tasks_,
                     .backend = "cuda"},
                    options_, folder_.path());
  }

  static DriftPlace PlaceOf(const std::string& line) {
    return {DigestOf(line.substr(0, line.size() - 1)).Hex(), 0};
  }

  TemporaryFolder folder_;
  RunTasks tasks_;
  RewardOptions options_;
};

TEST_F(PolicyDrift, EqualsTheWorkedExampleWhateverTheOrderAndTheOtherFields) {
  const std::string one = LineOf("a", {-1, -1, -1, -1}, {{"attempt", 3}, {"model", "m"}});
  const std::string two = LineOf("b", {-2, -2});
  const auto drifts =
      Drifts(one + two, LineOf("b", {-2, -2.5}) + LineOf("a", {-0.95, -1.08, -0.9, -1.04}));
  ASSERT_TRUE(drifts.ok()) << drifts.status().message();
  EXPECT_NEAR(*drifts->at(PlaceOf(one)).d, 0.0675, 1e-12);
  EXPECT_NEAR(*drifts->at(PlaceOf(two)).d, 0.25, 1e-12);
}

TEST_F(PolicyDrift, ResponsesThatItDoesNotHoldAreAbsent) {
  const std::string other = LineOf("other", {-1}), second = LineOf("a", {-1}, {{"turn", 2}});
  const std::string bare = LineOf("bare", {});
  const auto drifts =
      Drifts(LineOf("a", {-1}) + other + second + bare, LineOf("a", {-1}) + LineOf("bare", {-1}));
  ASSERT_TRUE(drifts.ok()) << drifts.status().message();
  EXPECT_EQ(drifts->size(), 4u);
  for (const std::string& line : {other, second, bare}) {
    EXPECT_TRUE(drifts->at(PlaceOf(line)).IsAbsent()) << line;
  }
}

TEST_F(PolicyDrift, TemperaturesOfLinesCountBeforeThoseOfTheConfiguration) {
  options_.rollout.mode = options_.policy.mode = LogProbMode::kProcessed;
  const std::string hot = LineOf("a", {-1}, {{"sampling", Json::Object{{"temperature", 0.5}}}});
  const auto drifts = Drifts(hot, LineOf("a", {-1}));
  ASSERT_TRUE(drifts.ok()) << drifts.status().message();
  EXPECT_EQ(drifts->at(PlaceOf(hot)).problem, kTemperatureDiffers);
  options_.rollout.mode.reset();
  const std::string line = LineOf("a", {-1});
  EXPECT_EQ(Drifts(line, line)->at(PlaceOf(line)).problem, kModeUnknown);
}

TEST_F(PolicyDrift, AFileThatIsNotAboutTheSamplesIsRefused) {
  const std::string line = LineOf("a", {-1});
  const auto none = Drifts(line, LineOf("b", {-1}));
  EXPECT_EQ(none.status().code(), ErrorCode::kConfig);
  EXPECT_THAT(none.status().message(), HasSubstr("policy.jsonl"));
  const auto malformed = Drifts(line, line + "{\"task\": \"relu\"}\n");
  EXPECT_EQ(malformed.status().code(), ErrorCode::kConfig);
  EXPECT_THAT(malformed.status().message(), HasSubstr("policy.jsonl:2"));
}

TEST_F(PolicyDrift, AFileIsCheckedBeforeTheTasksAreKnown) {
  const std::string line = LineOf("a", {-1}), other = LineOf("b", {-1});
  EXPECT_TRUE(Checked(other + line, line).ok());
  // Another name can be of the same task.
  EXPECT_TRUE(Checked(line, LineOf("a", {-1}, {{"task", "0123abcd"}})).ok());
  EXPECT_THAT(Checked(line, line + "{}\n").message(), HasSubstr("policy.jsonl:2: "));
  EXPECT_THAT(Checked(line, other).message(), HasSubstr("no line of policy.jsonl"));
  EXPECT_THAT(Checked(line, LineOf("a", {-1}, {{"turn", 2}})).message(),
              HasSubstr("no line of policy.jsonl"));
  const std::string bare = LineOf("a", {});
  EXPECT_TRUE(Checked(line, bare).ok());
  options_.calibrate = true;
  EXPECT_TRUE(Checked(line, line).ok());
  EXPECT_TRUE(Checked(line, bare + line).ok());
  EXPECT_THAT(Checked(line, bare).message(), HasSubstr("reward.calibrate: no drift"));
  options_.policy.mode.reset();
  EXPECT_EQ(Checked(line, line).code(), ErrorCode::kConfig);
}

}  // namespace
}  // namespace kernelmill
