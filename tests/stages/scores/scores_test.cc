#include "stages/scores/scores.h"

#include <gmock/gmock.h>

#include <random>

#include "stages/scores/pass_at_k.h"
#include "stages/scores/verdict_file.h"

namespace kernelmill {
namespace {

using testing::ElementsAre;
using testing::Pair;

ScoredSample Sample(const std::string& task, VerdictStatus status, std::int64_t level = 1,
                    std::vector<std::string> families = {}) {
  return SampleWithStatus(task, {.level = level, .families = std::move(families)}, status);
}

ScoredSample Timed(const std::string& task, bool correct, std::optional<double> runtime,
                   std::optional<double> baseline) {
  ScoredSample sample = Sample(task, correct ? VerdictStatus::kCorrect : VerdictStatus::kWrong);
  sample.runtime = runtime;
  sample.baseline = baseline;
  return sample;
}

TEST(Scores, AreMeansOverTasks) {
  const Scores scores =
      ScoreSamples({Sample("a", VerdictStatus::kCorrect), Sample("a", VerdictStatus::kWrong),
                    Sample("a", VerdictStatus::kIllegal), Sample("a", VerdictStatus::kNoAnswer),
                    Sample("b", VerdictStatus::kCorrect)});
  EXPECT_EQ(scores.all.tasks, 2);
  EXPECT_EQ(scores.all.samples, 5);
  EXPECT_DOUBLE_EQ(scores.all.correct->value, (0.25 + 1.0) / 2);
  EXPECT_DOUBLE_EQ(scores.all.legal->value, (0.5 + 1.0) / 2);
  EXPECT_DOUBLE_EQ(scores.all.pass_at.at(1).value, (0.25 + 1.0) / 2);
  // Only the first task has two and four samples.
  EXPECT_DOUBLE_EQ(scores.all.pass_at.at(2).value, 0.5);
  EXPECT_DOUBLE_EQ(scores.all.pass_at.at(4).value, 1.0);
  EXPECT_DOUBLE_EQ(scores.all.avg_at.at(4).value, 0.25);
  EXPECT_EQ(scores.all.pass_at.at(4).tasks, 1);
  EXPECT_FALSE(scores.all.pass_at.contains(8));
}

// Adding samples that say nothing about the answers changes no rate.
TEST(Scores, CountApartWhatSaysNothing) {
  std::vector<ScoredSample> samples = {Sample("a", VerdictStatus::kCorrect),
                                       Sample("a", VerdictStatus::kWrong)};
  const Json before = ScoreSamples(samples).all.ToJson();
  for (const VerdictStatus status :
       {VerdictStatus::kInfra, VerdictStatus::kUndecided, VerdictStatus::kUnsupported,
        VerdictStatus::kReferenceFailed}) {
    samples.push_back(Sample("a", status));
    samples.push_back(Sample("unknown", status));
  }
  const ScoreGroup after = ScoreSamples(samples).all;
  for (const char* rate : {"correct", "legal", "pass_at_k", "avg_at_k", "statuses", "scored"}) {
    EXPECT_EQ(*before.Find(rate), *after.ToJson().Find(rate)) << rate;
  }
  EXPECT_EQ(after.samples, 10);
  EXPECT_EQ(after.tasks, 2);
  EXPECT_EQ(after.scored_tasks, 1);
  EXPECT_THAT(after.not_scored, ElementsAre(Pair("infra", 2), Pair("reference_failed", 2),
                                            Pair("undecided", 2), Pair("unsupported", 2)));
}

TEST(Scores, HaveNoRatesWithoutSamplesThatCount) {
  const Scores scores = ScoreSamples({Sample("a", VerdictStatus::kInfra)});
  EXPECT_FALSE(scores.all.correct);
  EXPECT_TRUE(scores.all.pass_at.empty());
  EXPECT_TRUE(scores.all.ToJson().Find("correct")->is_null());
  EXPECT_EQ(ScoreSamples({}).all.samples, 0);
}

TEST(Scores, AreByLevelAndByFamily) {
  const Scores scores = ScoreSamples({Sample("a", VerdictStatus::kCorrect, 1, {"matmul"}),
                                      Sample("b", VerdictStatus::kWrong, 2, {"matmul", "softmax"}),
                                      Sample("c", VerdictStatus::kCorrect, 0)});
  EXPECT_DOUBLE_EQ(scores.levels.at(1).correct->value, 1.0);
  EXPECT_DOUBLE_EQ(scores.levels.at(2).correct->value, 0.0);
  EXPECT_DOUBLE_EQ(scores.families.at("matmul").correct->value, 0.5);
  EXPECT_DOUBLE_EQ(scores.families.at("softmax").correct->value, 0.0);
  EXPECT_EQ(scores.tasks_without_families, 1);
  EXPECT_NE(scores.ToJson().Find("levels")->Find("unknown"), nullptr);
}

TEST(Scores, HaveNoSpeedsWithoutADevice) {
  const Scores scores = ScoreSamples({Sample("a", VerdictStatus::kCorrect)});
  EXPECT_TRUE(scores.all.fast.empty());
  EXPECT_FALSE(scores.all.Faster());
  EXPECT_FALSE(scores.all.mean_speedup);
  EXPECT_TRUE(scores.all.ToJson().Find("fast_p")->is_null());
  // A baseline alone times no answer.
  EXPECT_TRUE(
      ScoreSamples({Timed("a", true, {}, 1.0), Timed("b", false, {}, 1.0)}).all.fast.empty());
}

TEST(Scores, CountWhatIsFasterThanEachThreshold) {
  const Scores scores = ScoreSamples(
      {Timed("a", true, 1.0, 2.0), Timed("a", true, 4.0, 2.0), Timed("b", false, {}, 3.0),
       // Not known: a correct sample was not timed, and there is no baseline.
       Timed("c", true, {}, 1.0), Timed("d", true, 1.0, {})});
  EXPECT_DOUBLE_EQ(scores.all.fast.at(0.0).value, 0.5);  // Of a and b.
  EXPECT_DOUBLE_EQ(scores.all.fast.at(0.5).value, 0.25);
  EXPECT_DOUBLE_EQ(scores.all.fast.at(1.5).value, 0.25);
  EXPECT_DOUBLE_EQ(scores.all.fast.at(2.0).value, 0.0);  // Exactly twice as fast is not faster.
  EXPECT_DOUBLE_EQ(scores.all.Faster()->value, 0.25);
  EXPECT_EQ(scores.all.Faster()->tasks, 2);
  EXPECT_NEAR(*scores.all.mean_speedup, 1.0, 1e-12);  // √(2 · ½)
}

// Against a direct computation, for random samples.
TEST(Scores, EqualTheirDefinitions) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    std::map<std::string, std::vector<bool>> tasks;
    std::vector<ScoredSample> samples;
    for (int i = 0; i < 60; ++i) {
      const std::string task = std::to_string(random() % 9);
      const bool correct = random() % 3 == 0;
      tasks[task].push_back(correct);
      samples.push_back(Sample(task, correct ? VerdictStatus::kCorrect : VerdictStatus::kCrashed));
    }
    const Scores scores = ScoreSamples(samples, {1, 3, 5});
    for (const std::int64_t k : {1, 3, 5}) {
      double pass = 0.0, average = 0.0, counted = 0.0;
      for (const auto& [name, results] : tasks) {
        const auto n = static_cast<std::int64_t>(results.size());
        if (n < k) continue;
        const auto c = std::count(results.begin(), results.end(), true);
        pass += PassAtK(n, c, k);
        average += static_cast<double>(c) / static_cast<double>(n);
        counted += 1.0;
      }
      EXPECT_NEAR(scores.all.pass_at.at(k).value, pass / counted, 1e-12);
      EXPECT_NEAR(scores.all.avg_at.at(k).value, average / counted, 1e-12);
      EXPECT_EQ(scores.all.pass_at.at(k).tasks, static_cast<std::int64_t>(counted));
    }
  }
}

}  // namespace
}  // namespace kernelmill
