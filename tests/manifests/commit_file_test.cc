#include "manifests/commit_file.h"

#include <gmock/gmock.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

namespace kernelmill {
namespace {

using testing::ElementsAre;

class CommitFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "commit_file_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string folder_;
};

TEST_F(CommitFileTest, TheFirstWriterWins) {
  const std::string path = folder_ + "/a";
  ASSERT_TRUE(CommitFile(path, "first").ok());
  EXPECT_EQ(CommitFile(path, "second").code(), ErrorCode::kExists);
  EXPECT_EQ(ReadFile(path).value(), "first");
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(CommitFileTest, OneOfManyConcurrentWritersWinsAndItsFileIsWhole) {
  const std::string path = folder_ + "/a";
  std::atomic<int> winners = 0;
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i) {
    writers.emplace_back([&, i] {
      if (CommitFile(path, std::string(100000, static_cast<char>('a' + i))).ok()) ++winners;
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(winners, 1);
  const std::string bytes = ReadFile(path).value();
  EXPECT_EQ(bytes, std::string(100000, bytes[0]));
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(CommitFileTest, ReplaceTakesThePlace) {
  const std::string path = folder_ + "/a";
  ASSERT_TRUE(ReplaceFile(path, "one").ok());
  ASSERT_TRUE(ReplaceFile(path, std::string("t\0o", 3)).ok());
  EXPECT_EQ(ReadFile(path).value(), std::string("t\0o", 3));
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(CommitFileTest, FailuresNameTheFile) {
  const Status missing = ReadFile(folder_ + "/none").status();
  EXPECT_EQ(missing.code(), ErrorCode::kNotFound);
  EXPECT_THAT(missing.message(), testing::HasSubstr("/none"));
  EXPECT_FALSE(CommitFile(folder_ + "/no/such/folder", "x").ok());
  EXPECT_EQ(CommitFile("/dev/full/x", "x").code(), ErrorCode::kNotFound);
}

TEST_F(CommitFileTest, WhatIsTooLargeForMemoryIsRefused) {
  const std::string path = folder_ + "/endless";
  ASSERT_TRUE(CommitFile(path, "x").ok());
  // A sparse file, which takes no disk space.
  ASSERT_EQ(truncate(path.c_str(), std::int64_t{1} << 40), 0);
  const Status status = ReadFile(path).status();
  EXPECT_EQ(status.code(), ErrorCode::kIo);
  EXPECT_THAT(status.message(), testing::HasSubstr("/endless is over 4 GiB"));
}

TEST_F(CommitFileTest, MakesFolders) {
  ASSERT_TRUE(MakeFolders(folder_ + "/x/y/z").ok());
  ASSERT_TRUE(MakeFolders(folder_ + "/x/y/z").ok());
  ASSERT_TRUE(CommitFile(folder_ + "/x/y/z/f", "").ok());
  EXPECT_FALSE(MakeFolders(folder_ + "/x/y/z/f").ok());
}

TEST(TemporaryPath, IsRecognisedAndUnique) {
  EXPECT_TRUE(IsTemporaryPath(TemporaryPath("a/b")));
  EXPECT_NE(TemporaryPath("a"), TemporaryPath("a"));
  EXPECT_FALSE(IsTemporaryPath("a.tmp-"));
  EXPECT_FALSE(IsTemporaryPath("shards/records-00000.mdb"));
}

}  // namespace
}  // namespace kernelmill
