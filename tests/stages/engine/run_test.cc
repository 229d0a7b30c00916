// Tests the engine's guarantees: counts add up; results do not depend on threads, partitions or
// order; a killed run resumes to the same result; a changed run refuses to resume.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "corpora/reject.h"
#include "manifests/commit_file.h"
#include "stages/engine/run.h"
#include "tests/stages/engine/square_step.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST_F(EngineTest, CountsAddUp) {
  auto run = kernelmill::Run::Open(Options("a"));
  ASSERT_TRUE(run.ok()) << run.status().message();
  SquareStep step;
  const auto counts = run->Do(step, Numbers(1000));
  ASSERT_TRUE(counts.ok()) << counts.status().message();
  EXPECT_EQ(counts->in, 1000);
  EXPECT_EQ(counts->dropped.at("source_cap"), 200);
  // 143 multiples of 7 below 1000, of which 29 are multiples of 35.
  EXPECT_EQ(counts->rejected.at("parse_error"), 114);
  EXPECT_EQ(counts->kept, 686);
  EXPECT_EQ(counts->outputs, 686);
  int outputs = 0, rejects = 0;
  ASSERT_TRUE(run->ForEachOutput("square",
                                 [&](std::string_view, std::string_view) {
                                   ++outputs;
                                   return Status::Ok();
                                 })
                  .ok());
  ASSERT_TRUE(run->ForEachReject("square",
                                 [&](std::string_view, std::string_view value) {
                                   ++rejects;
                                   const auto reject = Reject::Decode(value);
                                   EXPECT_TRUE(reject.ok());
                                   EXPECT_EQ(std::stoi(reject->original) % 7, 0);
                                   return Status::Ok();
                                 })
                  .ok());
  EXPECT_EQ(outputs, 686);
  EXPECT_EQ(rejects, 114);
}

TEST_F(EngineTest, NeitherThreadsNorPartitionsNorOrderMatter) {
  const std::string expected = RunWhole(Options("base"), 500);
  for (int variant = 0; variant < 6; ++variant) {
    RunOptions options = Options("v" + std::to_string(variant));
    options.jobs = 1 + variant % 4;
    options.partitions = 1 + 40 * (variant % 3);
    options.shuffle = variant % 2 == 1;
    options.shuffle_seed = static_cast<std::uint64_t>(variant);
    EXPECT_EQ(RunWhole(options, 500), expected) << "variant " << variant;
  }
}

TEST_F(EngineTest, NoInputsAtAllIsFine) { EXPECT_EQ(RunWhole(Options("none"), 0), ""); }

TEST_F(EngineTest, AFinishedStepIsNotDoneAgain) {
  RunWhole(Options("a"), 100);
  auto run = kernelmill::Run::Open(Options("a"));
  ASSERT_TRUE(run.ok());
  SquareStep step;
  const auto counts = run->Do(step, Numbers(100));
  ASSERT_TRUE(counts.ok());
  EXPECT_EQ(counts->in, 100);
  EXPECT_EQ(step.processed, 0);
}

TEST_F(EngineTest, AnErrorKeepsWhatWasCommitted) {
  RunOptions one_thread = Options("a");
  one_thread.jobs = 1;
  {
    auto run = kernelmill::Run::Open(one_thread);
    SquareStep step;
    step.fail_at = 76;
    EXPECT_EQ(run->Do(step, Numbers(100)).status().code(), ErrorCode::kWorker);
  }
  auto run = kernelmill::Run::Open(one_thread);
  SquareStep step;
  ASSERT_TRUE(run->Do(step, Numbers(100)).ok());
  EXPECT_LE(step.processed, 100);
  EXPECT_EQ(Left(*run), RunWhole(Options("b"), 100));
}

TEST_F(EngineTest, AChangedConfigurationRefusesToResumeAndSaysWhatChanged) {
  RunWhole(Options("a"), 10);
  auto run = kernelmill::Run::Open(Options("a"));
  SquareStep step(3);
  const auto counts = run->Do(step, Numbers(10));
  EXPECT_EQ(counts.status().code(), ErrorCode::kPlanChanged);
  EXPECT_THAT(counts.status().message(), HasSubstr("factor is now 3 and was 1"));
}

TEST_F(EngineTest, TheSecondRunOnOneFolderIsTurnedAway) {
  auto first = kernelmill::Run::Open(Options("a"));
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(kernelmill::Run::Open(Options("a")).status().code(), ErrorCode::kBusy);
}

TEST_F(EngineTest, UnfinishedFilesOfARunThatDiedAreSweptAway) {
  const RunOptions options = Options("swept");
  ASSERT_TRUE(MakeFolders(options.output + "/.run").ok());
  const std::string left = TemporaryPath(options.output + "/.run/folders.json");
  std::ofstream(left) << "{";
  std::ofstream(options.output + "/.run/files.mdb") << "whole";
  ASSERT_TRUE(kernelmill::Run::Open(options).ok());
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(options.output + "/.run/files.mdb"));
}

TEST_F(EngineTest, EqualKeysWithUnequalBodiesGoThroughTheMerge) {
  const auto propose = [](const Run::Emit& emit) -> Status {
    KM_RETURN_IF_ERROR(emit("key", "6"));
    return emit("key", "2");
  };
  auto run = kernelmill::Run::Open(Options("a"));
  SquareStep step;
  const auto merge = [](std::string_view a, std::string_view b) -> Result<std::string> {
    return std::to_string(std::stoi(std::string(a)) + std::stoi(std::string(b)));
  };
  ASSERT_TRUE(run->Do(step, propose, merge).ok());
  EXPECT_EQ(Left(*run), "key=64\n");
}

TEST_F(EngineTest, ATamperedPartIsFoundOnResume) {
  RunWhole(Options("a"), 100);
  for (const auto& entry : fs::directory_iterator(folder_ + "/a/.run/steps/square")) {
    if (entry.path().string().ends_with("outputs.mdb")) {
      fs::resize_file(entry.path(), fs::file_size(entry.path()) + 1);
    }
  }
  auto run = kernelmill::Run::Open(Options("a"));
  SquareStep step;
  EXPECT_EQ(run->Do(step, Numbers(100)).status().code(), ErrorCode::kCorrupt);
}

TEST_F(EngineTest, KilledAnywhereItEndsTheSame) {
  const std::string expected = RunWhole(Options("base"), 300);
  std::mt19937 random(11);
  int kills = 0;
  for (int attempt = 0; attempt < 60; ++attempt) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto run = kernelmill::Run::Open(Options("killed"));
      SquareStep step(1, 200);
      _exit(run.ok() && run->Do(step, Numbers(300)).ok() ? 0 : 1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 25));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) {
      ASSERT_EQ(WEXITSTATUS(status), 0);
      break;
    }
    ++kills;
  }
  EXPECT_GT(kills, 0);
  EXPECT_EQ(RunWhole(Options("killed"), 300), expected);
}

}  // namespace
}  // namespace kernelmill
