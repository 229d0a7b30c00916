// Copies of problems are found again, whatever their disguise, with the real worker: for problems of
// our own (lookalikes/), each in two styles, and for drawn ones.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "corpora/records/task.h"
#include "generators/graphs/generated_task.h"
#include "manifests/commit_file.h"
#include "stages/admit/admit_step.h"
#include "stages/admit/decontamination.h"
#include "stages/worker/sandbox.h"
#include "tests/shared_suite.h"
#include "tests/stages/admit/disguised_task.h"
#include "tests/stages/worker/worker_suite.h"

namespace kernelmill {
namespace {

constexpr char kFolder[] = "tests/stages/admit/lookalikes";
// The problem that no operator graph can be captured of.
constexpr char kTextOnly[] = "bessel_features";

class LookalikeTest : public WorkerSuite<> {
 protected:
  // Problem → style → text.
  static std::map<std::string, std::map<std::string, std::string>> Problems() {
    namespace fs = std::filesystem;
    std::map<std::string, std::map<std::string, std::string>> problems;
    for (const auto& entry : fs::recursive_directory_iterator(CheckoutRoot() / kFolder)) {
      if (entry.path().extension() != ".py") continue;
      problems[entry.path().parent_path().filename()][entry.path().stem()] =
          ReadFile(entry.path()).value();
    }
    return problems;
  }

  static TaskFingerprint FingerprintsOfText(const std::string& code) {
    Task task;
    task.code = code;
    const auto fingerprints = FingerprintsOf(TaskRecord(task), worker_);
    EXPECT_TRUE(fingerprints.ok()) << fingerprints.status().message();
    return fingerprints.ok() ? *fingerprints : TaskFingerprint();
  }

  static Decontamination TableOf(const std::string& problem, const TaskFingerprint& task) {
    const std::string line = BenchmarkLine(
        problem, task.graphs.empty() ? std::nullopt : std::optional(task.graphs.front()),
        task.text);
    Decontamination benchmarks;
    benchmarks.tables = {std::make_shared<const BenchmarkTable>(
        BenchmarkTable::Parse("exam", std::string(kBenchmarkTableHead) + line).value())};
    return benchmarks;
  }
};

KM_SHARED_SUITE(LookalikeTest);

TEST_F(LookalikeTest, NoDisguiseOfOurProblemsGetsThrough) {
  const auto problems = Problems();
  ASSERT_GE(problems.size(), 5);
  std::map<std::string, int> tiers;
  for (const auto& [problem, styles] : problems) {
    for (const auto& [style, text] : styles) {
      const Decontamination benchmarks = TableOf(problem, FingerprintsOfText(text));
      for (const auto& [other, copied] : styles) {
        for (const Disguise disguise : kDisguises) {
          const std::string copy = DisguisedTask::Write(copied, disguise);
          const TaskFingerprint fingerprints = FingerprintsOfText(copy);
          EXPECT_EQ(fingerprints.graphs.empty(), problem == kTextOnly) << copy;
          const TaskOverlap overlap = Compare(fingerprints, benchmarks);
          EXPECT_TRUE(benchmarks.Refuses(overlap.closest.tier))
              << problem << ", " << style << " as " << other << ", " << DisguiseName(disguise)
              << ": " << overlap.Text() << "\n"
              << copy;
          ++tiers[overlap.tier];
        }
      }
    }
  }
  EXPECT_GT(tiers["T0"], 20);
  EXPECT_GT(tiers["T1"], 20);
  RecordProperty("T0", tiers["T0"]);
  RecordProperty("T1", tiers["T1"]);
}

TEST_F(LookalikeTest, NoDisguiseOfDrawnProblemsGetsThrough) {
  TaskGenerator tasks({.seed = 11, .levels = {1, 2, 3}});
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(tasks.Next());
    const std::string text = Task::FromJson(tasks.ToRecord().payload)->code;
    const Decontamination benchmarks = TableOf("drawn", FingerprintsOfText(text));
    for (const Disguise disguise : kDisguises) {
      const std::string copy = DisguisedTask::Write(text, disguise);
      const TaskOverlap overlap = Compare(FingerprintsOfText(copy), benchmarks);
      EXPECT_TRUE(benchmarks.Refuses(overlap.closest.tier))
          << DisguiseName(disguise) << ": " << overlap.Text() << "\n" << copy;
    }
  }
}

// No problem of ours is taken for another one.
TEST_F(LookalikeTest, OtherProblemsGetThrough) {
  std::map<std::string, TaskFingerprint> fingerprints;
  for (const auto& [problem, styles] : Problems()) {
    for (const auto& [style, text] : styles) {
      fingerprints[problem + "/" + style] = FingerprintsOfText(text);
    }
  }
  for (const auto& [problem, one] : fingerprints) {
    const Decontamination benchmarks = TableOf(problem, one);
    for (const auto& [name, other] : fingerprints) {
      const bool same = name.substr(0, name.find('/')) == problem.substr(0, problem.find('/'));
      const TaskOverlap overlap = Compare(other, benchmarks);
      EXPECT_EQ(benchmarks.Refuses(overlap.closest.tier), same) << name << ": " << overlap.Text();
    }
  }
}

}  // namespace
}  // namespace kernelmill
