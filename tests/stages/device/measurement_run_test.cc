// Measuring many answers, with a device that answers from a script, and what reads the results.
#include "stages/device/measurement_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <mutex>
#include <set>

#include "corpora/records/verdict.h"
#include "manifests/commit_file.h"
#include "stages/scores/verdict_file.h"
#include "tests/stages/pack/synthetic_dataset.h"

namespace kernelmill {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kAnswers = 12, kMeasured = 10;

std::string KeyOf(int i) { return "level_1_problem_" + std::to_string(i + 1) + "_sample_0"; }

// Answers in a time that differs from answer to answer, so that they end in another order.
class ScriptedDevice : public MeasuringDevice {
 public:
  ScriptedDevice() {
    identity_.name = "scripted";
    identity_.architecture = "sm_90";
  }
  const DeviceIdentity& Identity() const override { return identity_; }
  Result<Measurement> Measure(const MeasuredAnswer& answer) override {
    if (++calls_ > most_calls) return Status(ErrorCode::kWorker, "the power is out");
    Measurement measurement;
    measurement.device = identity_;
    if (answer.code == "wrong") {
      measurement.outcome = MeasurementOutcome::kWrong;
      measurement.detail = "trial 1: 3 of 4 elements differ";
      return measurement;
    }
    measurement.outcome = MeasurementOutcome::kMeasured;
    measurement.answer = TimeSpread{.median_ms = 2, .low_ms = 1, .high_ms = 3, .runs = 100};
    measurement.eager = TimeSpread{.median_ms = 3, .low_ms = 2, .high_ms = 5, .runs = 100};
    return measurement;
  }
  void Rename(std::string name) { identity_.name = std::move(name); }
  int calls() const { return calls_; }

  int most_calls = INT_MAX;

 private:
  DeviceIdentity identity_;
  std::atomic<int> calls_ = 0;
};

class MeasurementRunTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto reference = std::make_shared<const std::string>("reference");
    std::string lines;
    for (int i = 0; i < kAnswers; ++i) {
      VerifyItem item;
      item.key = KeyOf(i);
      item.reference = reference;
      const std::string code = i == 3 ? "wrong" : "right";
      item.read_code = [code] { return std::optional<std::string>(code); };
      items_.push_back(std::move(item));
      // The sixth answer is not correct, and the eighth is for MUSA: they are not measured.
      lines += Json(Json::Object{{"key", KeyOf(i)},
                                 {"fingerprint", std::to_string(i)},
                                 {"verdict", Json::Object{{"status", i == 5 ? "race" : "correct"},
                                                          {"backend", i == 7 ? "musa" : "cuda"}}}})
                   .Dump() +
               "\n";
    }
    ASSERT_TRUE(ReplaceFile(folder_.path() + "/verdicts.jsonl", lines).ok());
    options_.folder = folder_.path();
    options_.jobs = 3;
  }

  std::vector<std::string> KeysOfFile() {
    std::vector<std::string> keys;
    std::ifstream file(path());
    for (std::string line; std::getline(file, line);) {
      keys.push_back(Json::Parse(line).value().TextAt("key"));
    }
    return keys;
  }
  std::string path() const { return folder_.path() + "/" + kMeasurementsName; }

  TemporaryFolder folder_;
  std::vector<VerifyItem> items_;
  MeasurementRunOptions options_;
  ScriptedDevice device_;
};

TEST_F(MeasurementRunTest, MeasuresCorrectAnswersOnceInTheOrderOfTheVerdicts) {
  const Result<MeasurementSummary> summary = MeasureCorrect(items_, device_, options_);
  ASSERT_TRUE(summary.ok()) << summary.status().message();
  EXPECT_EQ(summary->measured, kMeasured);
  EXPECT_EQ(summary->outcomes.at("wrong"), 1);
  EXPECT_DOUBLE_EQ(*summary->mean_speedup, 1.5);
  std::vector<std::string> expected;
  for (int i = 0; i < kAnswers; ++i) {
    if (i != 5 && i != 7) expected.push_back(KeyOf(i));
  }
  EXPECT_EQ(KeysOfFile(), expected);

  const Result<MeasurementSummary> again = MeasureCorrect(items_, device_, options_);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->reused, kMeasured);
  EXPECT_EQ(device_.calls(), kMeasured);
  EXPECT_EQ(KeysOfFile(), expected);

  device_.Rename("another card");
  ASSERT_TRUE(MeasureCorrect(items_, device_, options_).ok());
  EXPECT_EQ(device_.calls(), 2 * kMeasured);
}

TEST_F(MeasurementRunTest, GoesOnAfterAnEndInBetween) {
  device_.most_calls = 5;
  const Result<MeasurementSummary> stopped = MeasureCorrect(items_, device_, options_);
  EXPECT_THAT(stopped.status().message(), HasSubstr("the power is out"));
  EXPECT_EQ(KeysOfFile().size(), 5u);
  // What a kill leaves of a line.
  std::ofstream(path(), std::ios::app) << "{\"key\": \"level_1_prob";
  device_.most_calls = INT_MAX;
  const int before = device_.calls();
  const Result<MeasurementSummary> whole = MeasureCorrect(items_, device_, options_);
  ASSERT_TRUE(whole.ok()) << whole.status().message();
  EXPECT_EQ(whole->reused, 5);
  EXPECT_EQ(device_.calls() - before, kMeasured - 5);
  EXPECT_EQ(KeysOfFile().size(), static_cast<std::size_t>(kMeasured));
}

TEST_F(MeasurementRunTest, TakesNumbersThatAProgramHasWrittenAgain) {
  ASSERT_TRUE(MeasureCorrect(items_, device_, options_).ok());
  std::string text = ReadFile(path()).value();
  // As jq does: a whole number without its ".0", and other last digits.
  for (const auto& [from, to] : {std::pair("\"speedup\":1.5", "\"speedup\":1.5000000000000002"),
                                 std::pair("\"median_ms\":2.0", "\"median_ms\":2")}) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from << " in " << text;
    text.replace(at, std::string_view(from).size(), to);
  }
  ASSERT_TRUE(ReplaceFile(path(), text).ok());
  const Result<MeasurementSummary> summary = MeasureCorrect(items_, device_, options_);
  ASSERT_TRUE(summary.ok()) << summary.status().message();
  EXPECT_EQ(summary->reused, kMeasured);
}

TEST_F(MeasurementRunTest, RefusesTimesThatCannotBe) {
  ASSERT_TRUE(MeasureCorrect(items_, device_, options_).ok());
  const std::string text = ReadFile(path()).value();
  for (const auto& [from, to] : {std::pair("\"low_ms\":1.0", "\"low_ms\":2.5"),
                                 std::pair("\"high_ms\":3.0", "\"high_ms\":1.5"),
                                 std::pair("\"low_ms\":1.0", "\"low_ms\":-1.0")}) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    ASSERT_NE(at, std::string::npos) << from << " in " << text;
    changed.replace(at, std::string_view(from).size(), to);
    ASSERT_TRUE(ReplaceFile(path(), changed).ok());
    EXPECT_EQ(MeasureCorrect(items_, device_, options_).status().code(), ErrorCode::kCorrupt) << to;
  }
}

TEST_F(MeasurementRunTest, ComparesNoTimesOfTwoDevices) {
  ASSERT_TRUE(MeasureCorrect(items_, device_, options_).ok());
  ASSERT_TRUE(ReadComparableMeasurements(path()).ok());
  std::string text = ReadFile(path()).value();
  const std::string name = Json::Parse(text.substr(0, text.find('\n')))
                               .value()
                               .Find("measurement")
                               ->Find("device")
                               ->TextAt("name");
  text.replace(text.find(name), name.size(), "another card");
  ASSERT_TRUE(ReplaceFile(path(), text).ok());
  const auto lines = ReadComparableMeasurements(path());
  EXPECT_EQ(lines.status().code(), ErrorCode::kConfig);
  EXPECT_THAT(lines.status().message(), HasSubstr("another card"));
}

TEST_F(MeasurementRunTest, NamesADamagedLine) {
  ASSERT_TRUE(MeasureCorrect(items_, device_, options_).ok());
  std::string text = ReadFile(path()).value();
  const std::size_t at = text.find("\"median_ms\":2");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 13, "\"median_ms\":1");
  ASSERT_TRUE(ReplaceFile(path(), text).ok());
  const Result<MeasurementSummary> summary = MeasureCorrect(items_, device_, options_);
  EXPECT_EQ(summary.status().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(summary.status().message(), HasSubstr("measurements.jsonl:1: "));
  EXPECT_THAT(summary.status().message(), HasSubstr("does not follow from the rest"));
}

TEST_F(MeasurementRunTest, GivesTheScoresTheirTimes) {
  ASSERT_TRUE(MeasureCorrect(items_, device_, options_).ok());
  const Result<VerdictSamples> samples =
      ReadVerdictSamples(folder_.path() + "/verdicts.jsonl", TasksByName());
  ASSERT_TRUE(samples.ok()) << samples.status().message();
  const Scores scores = ScoreSamples(samples->samples);
  EXPECT_DOUBLE_EQ(*scores.all.mean_speedup, 1.5);
  // Of the eleven tasks for CUDA nine answers are 1.5 times as fast; one is wrong on the device, and
  // one was refused before. The one for MUSA has no time.
  EXPECT_NEAR(scores.all.Faster()->value, 9.0 / 11, 1e-9);
  EXPECT_NEAR(scores.all.correct->value, 10.0 / 12, 1e-9);
  EXPECT_EQ(scores.all.statuses.at("device_wrong"), 1);
}

TEST(RewardOfMeasurement, AddsTheTermOfSpeed) {
  Measurement measurement;
  EXPECT_EQ(RewardOf(measurement),
            Json(Json::Object{{"correctness", 1.0}, {"performance", Json()}}));
  measurement.outcome = MeasurementOutcome::kMeasured;
  measurement.answer = TimeSpread{.median_ms = 2, .low_ms = 2, .high_ms = 2, .runs = 5};
  measurement.eager = TimeSpread{.median_ms = 3, .low_ms = 3, .high_ms = 3, .runs = 5};
  EXPECT_EQ(RewardOf(measurement), Json(Json::Object{{"correctness", 1.0}, {"performance", 0.25}}));
  measurement.outcome = MeasurementOutcome::kWrong;
  EXPECT_TRUE(RewardOf(measurement).is_null());
}

}  // namespace
}  // namespace kernelmill
