#include "stages/retry/retry_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "manifests/commit_file.h"
#include "stages/retry/retry_draw.h"
#include "stages/retry/retry_round.h"
#include "tests/stages/retry/retry_samples.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// The groups of round `round`: all draws, and tasks of their own in the other slots. Every third
// group is solved.
std::vector<RetryGroup> GroupsOf(const RetryGeneration& previous, std::int64_t slots) {
  const std::int64_t round = previous.round + 1;
  std::vector<RetryGroup> groups;
  for (const RetryDraw& draw : DrawRetries(previous, {}, 5, slots)) {
    RetryGroup group =
        GroupOf("retry " + std::to_string(round), {Wrong(1), Wrong(2), Wrong(0)}, true);
    group.samples.push_back(SampleNamed("last", draw.slot % 3 == 0 ? Correct() : NotBuilt()));
    group.key = previous.entries[draw.entry].key;
    groups.push_back(std::move(group));
  }
  for (std::int64_t slot = static_cast<std::int64_t>(groups.size()); slot < slots; ++slot) {
    groups.push_back(GroupOf(std::to_string(round) + " " + std::to_string(slot),
                             {Wrong(0), NotBuilt(), NotBuilt(), slot % 3 ? Wrong(1) : Correct()}));
  }
  return groups;
}

RetryGeneration Next(const RetryGeneration& previous, const Digest& digest) {
  return NextRetryGeneration(previous, digest, GroupsOf(previous, 24), {.capacity = 100}).value();
}

// A generation with entries of several rounds and parked tasks.
RetryGeneration Grown(int rounds) {
  RetryFile file = RetryFile::First({});
  for (int round = 0; round < rounds; ++round) {
    file.generation = Next(file.generation, file.digest);
    EncodeRetryFile(file.generation, &file.digest);
  }
  return file.generation;
}

class RetryFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::temp_directory_path() / "km-retry-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string PathOf(std::int64_t round) const {
    return folder_ + "/generation-" + std::to_string(round) + ".jsonl";
  }
  // Does rounds until `last` is written, as a run does: it goes on from the last file that is
  // there.
  Status Work(std::int64_t last) const {
    RetryFile file = RetryFile::First({});
    for (std::int64_t round = 1; round <= last; ++round) {
      if (fs::exists(PathOf(round))) {
        KM_ASSIGN(RetryFile read, ReadRetryFile(PathOf(round), std::nullopt));
        if (read.generation.previous != file.digest) {
          return Status(ErrorCode::kCorrupt, "the chain is broken");
        }
        file = std::move(read);
        continue;
      }
      file.generation = Next(file.generation, file.digest);
      KM_ASSIGN(file.digest, WriteRetryFile(PathOf(round), file.generation));
    }
    return Status::Ok();
  }
  std::string folder_;
};

TEST_F(RetryFileTest, ComesBackAsItWas) {
  const RetryGeneration generation = Grown(24);
  ASSERT_GT(generation.entries.size(), 20u);
  ASSERT_FALSE(generation.parked.empty());
  const Digest digest = WriteRetryFile(PathOf(24), generation).value();
  const RetryFile file = ReadRetryFile(PathOf(24), digest).value();
  EXPECT_EQ(file.digest, digest);
  EXPECT_EQ(file.generation.round, 24);
  EXPECT_EQ(file.generation.changes, generation.changes);
  Digest again;
  EXPECT_EQ(EncodeRetryFile(file.generation, &again), EncodeRetryFile(generation, &again));
  EXPECT_EQ(again, digest);
}

TEST_F(RetryFileTest, TheFirstGenerationIsEmpty) {
  const Digest digest = WriteRetryFile(PathOf(0), {}).value();
  EXPECT_TRUE(ReadRetryFile(PathOf(0), digest)->generation.entries.empty());
}

TEST_F(RetryFileTest, AnotherGenerationIsRefused) {
  const RetryGeneration first = Grown(1), second = Grown(2);
  ASSERT_TRUE(WriteRetryFile(PathOf(1), first).ok());
  EXPECT_TRUE(WriteRetryFile(PathOf(1), first).ok());  // The same round, done again.
  const Status other = WriteRetryFile(PathOf(1), second).status();
  EXPECT_EQ(other.code(), ErrorCode::kPlanChanged);
  EXPECT_THAT(other.message(), HasSubstr(PathOf(1)));
  EXPECT_EQ(ReadRetryFile(PathOf(1), DigestOf("x")).status().code(), ErrorCode::kPlanChanged);
  EXPECT_EQ(ReadRetryFile(PathOf(9), std::nullopt).status().code(), ErrorCode::kNotFound);
}

TEST_F(RetryFileTest, DamageIsFoundWhereverItIs) {
  Digest digest;
  const std::string bytes = EncodeRetryFile(Grown(3), &digest);
  ASSERT_TRUE(DecodeRetryFile(bytes).ok());
  // Every byte of the header and of the end, and some between.
  for (std::size_t at = 0; at < bytes.size(); at += at < 1200 || at + 300 > bytes.size() ? 1 : 41) {
    std::string damaged = bytes;
    damaged[at] ^= 1;
    EXPECT_EQ(DecodeRetryFile(damaged).status().code(), ErrorCode::kCorrupt) << at;
    EXPECT_EQ(DecodeRetryFile(bytes.substr(0, at)).status().code(), ErrorCode::kCorrupt) << at;
  }
  EXPECT_EQ(DecodeRetryFile(bytes + bytes).status().code(), ErrorCode::kCorrupt);
  EXPECT_EQ(DecodeRetryFile(bytes + "\n").status().code(), ErrorCode::kCorrupt);
}

TEST_F(RetryFileTest, MessagesSayWhatIsWrong) {
  Digest digest;
  const std::string bytes = EncodeRetryFile(Grown(2), &digest);
  const auto message = [&](const std::string& text) {
    EXPECT_TRUE(ReplaceFile(PathOf(1), text).ok());
    const Status status = ReadRetryFile(PathOf(1), std::nullopt).status();
    EXPECT_EQ(status.code(), ErrorCode::kCorrupt);
    EXPECT_THAT(status.message(), HasSubstr(PathOf(1)));
    return status.message();
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = bytes;
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_THAT(message(""), HasSubstr("no retry buffer"));
  EXPECT_THAT(message("{\"task\": \"a\"}\n"), HasSubstr("no retry buffer"));
  EXPECT_THAT(message(with("\"v\":1}", "\"v\":2}")), HasSubstr("another kernelmill"));
  EXPECT_THAT(message(with("\"round\":2", "\"round\":3")), HasSubstr("digest"));
  EXPECT_THAT(message(with("\"v\":1}", "\"v\":1,\"x\":1}")), HasSubstr("unknown field 'x'"));
  EXPECT_THAT(message(bytes.substr(0, bytes.size() - 1)), HasSubstr("cut off"));
  EXPECT_THAT(message(bytes.substr(0, bytes.find('\n') + 1)), HasSubstr("0 lines follow"));
}

// The digest is no secret: whoever writes another buffer can compute it. What no round makes is
// refused all the same.
TEST_F(RetryFileTest, WhatNoRoundMakesIsRefused) {
  const RetryGeneration good = Grown(3);
  const auto refusal = [&](auto change) {
    RetryGeneration bad = good;
    change(&bad);
    Digest digest;
    const Status status = DecodeRetryFile(EncodeRetryFile(bad, &digest)).status();
    EXPECT_EQ(status.code(), ErrorCode::kCorrupt);
    EXPECT_FALSE(WriteRetryFile(PathOf(3), bad).ok());
    return status.message();
  };
  EXPECT_THAT(refusal([](auto* bad) { bad->entries.push_back(bad->entries[0]); }),
              HasSubstr("twice"));
  EXPECT_THAT(refusal([](auto* bad) { bad->options.capacity = 2; }), HasSubstr("capacity"));
  EXPECT_THAT(refusal([](auto* bad) { bad->entries[0].round = 4; }), HasSubstr("round 4"));
  EXPECT_THAT(refusal([](auto* bad) { bad->entries[0].attempts = 2; }), HasSubstr("2 attempts"));
  EXPECT_THAT(refusal([](auto* bad) { bad->entries[0].verdict = Illegal("patches_torch"); }),
              HasSubstr("attack"));
  EXPECT_THAT(refusal([](auto* bad) { bad->previous.reset(); }), HasSubstr("before it"));
}

TEST_F(RetryFileTest, AKilledRunLosesAndDoublesNothing) {
  constexpr std::int64_t kRounds = 8;
  ASSERT_TRUE(Work(kRounds).ok());
  std::vector<std::string> expected;
  for (std::int64_t round = 1; round <= kRounds; ++round) {
    expected.push_back(ReadFile(PathOf(round)).value());
    fs::remove(PathOf(round));
  }
  int kills = 0;
  for (useconds_t delay = 300; !fs::exists(PathOf(kRounds)); delay += 900) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) _exit(Work(kRounds).ok() ? 0 : 1);
    usleep(delay);
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) ++kills;
    ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  }
  EXPECT_GT(kills, 3);
  ASSERT_TRUE(Work(kRounds).ok());
  for (std::int64_t round = 1; round <= kRounds; ++round) {
    EXPECT_EQ(ReadFile(PathOf(round)).value(), expected[static_cast<std::size_t>(round - 1)]);
  }
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().string();
    EXPECT_TRUE(IsTemporaryPath(name) || name.ends_with(".jsonl")) << name;
  }
}

// What a kill can leave while a generation is written: no byte of it, some, or all, under the
// temporary name; and the whole file under its own.
TEST_F(RetryFileTest, EveryPointAtWhichAWriterDiesIsRecovered) {
  ASSERT_TRUE(Work(4).ok());
  const std::string last = ReadFile(PathOf(4)).value();
  for (const std::size_t written : {std::size_t{0}, std::size_t{1}, last.size() / 2, last.size()}) {
    fs::remove(PathOf(4));
    ASSERT_TRUE(CommitFile(TemporaryPath(PathOf(4)), last.substr(0, written)).ok());
    ASSERT_TRUE(Work(4).ok());
    EXPECT_EQ(ReadFile(PathOf(4)).value(), last);
    ASSERT_TRUE(Work(4).ok());  // After the last point: it is there, and is not made again.
    EXPECT_EQ(ReadFile(PathOf(4)).value(), last);
  }
}

}  // namespace
}  // namespace kernelmill
