#include "stages/scores/verdict_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace kernelmill {
namespace {

class VerdictFile : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Add(int attempt, int turn, const std::string& status) {
    std::ofstream(folder_ / "verdicts.jsonl", std::ios::app)
        << R"({"key": ")" << attempt << ":" << turn
        << R"(", "task": "level_1_problem_1", "attempt": )" << attempt << R"(, "turn": )" << turn
        << R"(, "verdict": {"status": ")" << status << R"(", "backend": "cuda"}})" << "\n";
  }
  VerdictSamples Read() {
    Result<VerdictSamples> read = ReadVerdictSamples(folder_ / "verdicts.jsonl", TasksByName());
    EXPECT_TRUE(read.ok()) << read.status().message();
    return *read;
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(VerdictFile, TheTurnsOfAnAttemptAreOneSample) {
  Add(0, 1, "wrong");
  Add(0, 2, "correct");
  Add(1, 2, "wrong");  // The order of the lines does not matter.
  Add(1, 1, "wrong");
  const VerdictSamples read = Read();
  ASSERT_EQ(read.samples.size(), 2u);
  EXPECT_TRUE(read.samples[0].correct);
  EXPECT_FALSE(read.samples[1].correct);
  EXPECT_EQ(read.other_turns, 2);
  EXPECT_EQ(read.retries, 0);
}

// They answer a conversation that was shown with its verdict, so that they are no attempts.
TEST_F(VerdictFile, AttemptsWithoutTheirFirstTurnDoNotCount) {
  Add(0, 1, "wrong");
  Add(4, 2, "correct");
  Add(5, 3, "correct");
  Add(5, 2, "wrong");
  const VerdictSamples read = Read();
  ASSERT_EQ(read.samples.size(), 1u);
  EXPECT_FALSE(read.samples[0].correct);
  EXPECT_EQ(read.retries, 3);
  EXPECT_EQ(read.other_turns, 0);
}

}  // namespace
}  // namespace kernelmill
