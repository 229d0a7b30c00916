#include "stages/scores/eval_results.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "manifests/commit_file.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;

class EvalResultsTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  Result<EvalEntries> Read(const std::string& text) {
    EXPECT_TRUE(ReplaceFile(path_, text).ok());
    return ReadEvalResults(path_);
  }
  std::string ErrorOf(const std::string& text) { return Read(text).status().message(); }

  // Tests may run at the same time.
  std::string path_ = testing::TempDir() + "/kernelmill_eval_results_" +
                      testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
};

TEST_F(EvalResultsTest, ReadsSamplesAndTimes) {
  const Result<EvalEntries> entries = Read(R"({"3": [
      {"sample_id": 1, "compiled": true, "correctness": true, "runtime": 2.5, "metadata": {}},
      {"sample_id": 0, "compiled": false, "correctness": false, "runtime": -1}],
    "12": {"sample_id": 0, "compiled": true, "correctness": false}})");
  ASSERT_TRUE(entries.ok()) << entries.status().message();
  EXPECT_EQ(entries->at(3).front().runtime, 2.5);
  EXPECT_EQ(entries->at(12).size(), 1u);
  const auto samples = SamplesOfEval(*entries, 2, {{3, 5.0}}, TasksByName());
  ASSERT_TRUE(samples.ok());
  EXPECT_EQ(samples->front().task, "level_2_problem_3");
  EXPECT_EQ(samples->front().traits.level, 2);
  EXPECT_EQ(samples->front().baseline, 5.0);
  EXPECT_FALSE(samples->front().legal);
  EXPECT_EQ(samples->back().status, "incorrect");
}

TEST_F(EvalResultsTest, TakesTheStatusOfOurVerdicts) {
  const Result<EvalEntries> entries = Read(R"({"3": [
      {"sample_id": 0, "compiled": true, "correctness": false, "metadata": {"status": "undecided"}},
      {"sample_id": 1, "compiled": true, "correctness": false, "metadata": {"status": "illegal"}},
      {"sample_id": 2, "compiled": true, "correctness": false, "metadata": {"status": "other"}}]})");
  ASSERT_TRUE(entries.ok());
  const auto samples = SamplesOfEval(*entries, 1, {}, TasksByName());
  ASSERT_TRUE(samples.ok());
  EXPECT_FALSE(samples->at(0).counts);
  EXPECT_EQ(samples->at(1).legal, false);
  EXPECT_EQ(samples->at(2).status, "incorrect");
}

TEST_F(EvalResultsTest, RefusesTimesWhoseQuotientNoNumberHolds) {
  for (const char* time : {"1e-308", "1e308"}) {
    const Result<EvalEntries> entries =
        Read(R"({"3": [{"sample_id": 4, "compiled": true, "correctness": true, "runtime": )" +
             std::string(time) + "}]}");
    ASSERT_TRUE(entries.ok()) << entries.status().message();
    const double baseline = std::string(time) == "1e308" ? 1e-20 : 1e20;
    const auto samples = SamplesOfEval(*entries, 1, {{3, baseline}}, TasksByName());
    EXPECT_THAT(samples.status().message(), HasSubstr("problem '3', sample_id 4: its runtime of"));
  }
}

TEST_F(EvalResultsTest, NamesWhatIsMalformed) {
  EXPECT_THAT(ErrorOf("[]"), HasSubstr("is no JSON object"));
  EXPECT_THAT(ErrorOf("{"), HasSubstr("kernelmill_eval_results"));
  EXPECT_THAT(ErrorOf(R"({"x": []})"), HasSubstr("problem 'x': it is no number"));
  for (const std::string key : {"01", "-1", "+1", "1 ", "4294967297", "2147483648", ""}) {
    EXPECT_THAT(ErrorOf("{\"" + key + "\": []}"),
                HasSubstr(path_ + ": problem '" + key + "': it is no number"));
  }
  EXPECT_THAT(ErrorOf(R"({"4": [{"compiled": true}]})"), HasSubstr("problem '4'"));
  EXPECT_THAT(ErrorOf(R"({"4": [{"sample_id": 0, "compiled": true, "correctness": "yes"}]})"),
              HasSubstr("\"correctness\""));
  EXPECT_THAT(ErrorOf(R"({"4": [{"sample_id": 7, "compiled": true, "correctness": true},
                                {"sample_id": 7, "compiled": true, "correctness": true}]})"),
              HasSubstr("the sample_id 7 occurs twice"));
  EXPECT_EQ(ReadEvalResults("/nonexistent.json").status().code(), ErrorCode::kNotFound);
}

TEST_F(EvalResultsTest, ReadsTheLevelOfABaseline) {
  EXPECT_TRUE(ReplaceFile(path_, R"({"level1": {"19_ReLU.py": {"mean": 0.5}}})").ok());
  EXPECT_EQ(BaselineByNumber(*ReadBaseline(path_, 1)), (std::map<std::int64_t, double>{{19, 0.5}}));
  EXPECT_THAT(ReadBaseline(path_, 2).status().message(), HasSubstr("no \"level2\""));
  EXPECT_TRUE(ReplaceFile(path_, R"({"level1": {"19_ReLU.py": {"mean": 0}}})").ok());
  EXPECT_THAT(ReadBaseline(path_, 1).status().message(), HasSubstr("19_ReLU.py"));
}

// KernelBench's own worked examples (src/kernelbench/unit_tests/test_score.py).
TEST_F(EvalResultsTest, AnalysesAsKernelBench) {
  const std::vector<bool> correct = {true, false, true, true, false};
  const std::vector<double> baseline = {0.1, 0.15, 0.2, 0.05, 0.3},
                            runtime = {0.2, 0.15, 0.3, 0.01, 0.2};
  EvalEntries entries;
  std::map<std::int64_t, std::string> problems;
  std::map<std::string, double> times;
  for (std::size_t i = 0; i < correct.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i + 1);
    entries[number] = {{.sample = 0,
                        .compiled = true,
                        .correct = correct[i],
                        .runtime = runtime[i],
                        .status = ""}};
    problems[number] = std::to_string(number) + "_p.py";
    times[problems[number]] = baseline[i];
  }
  const KernelBenchAnalysis analysis = AnalyseEval(entries, problems, times);
  EXPECT_NEAR(*analysis.geo_mean_speedup, 1.185631101, 1e-7);
  EXPECT_DOUBLE_EQ(analysis.fast_p.at("0.0"), 0.6);
  EXPECT_DOUBLE_EQ(analysis.fast_p.at("1.0"), 0.2);
  // Without times there is no speed.
  for (auto& [number, list] : entries) list.front().runtime = -1;
  EXPECT_TRUE(AnalyseEval(entries, problems, times).fast_p.empty());
  EXPECT_FALSE(AnalyseEval(entries, problems, times).geo_mean_speedup);
  EXPECT_EQ(AnalyseEval(entries, problems, {}).correct_count, 3);
}

}  // namespace
}  // namespace kernelmill
