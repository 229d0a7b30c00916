#include "corpora/shards/shard.h"

#include <gmock/gmock.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "corpora/shards/lmdb_pages.h"
#include "manifests/commit_file.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;
using Records = std::map<std::string, std::string>;

class ShardTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "shard_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = folder_ + "/a.mdb";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_, path_;
};

// Values of 0 to `longest` bytes that hardly compress, some of them long.
Records MakeRecords(int count, std::size_t longest, unsigned seed) {
  std::mt19937 random(seed);
  Records records;
  for (int i = 0; i < count; ++i) {
    std::string value(random() % (longest + 1), '\0');
    for (char& c : value) c = static_cast<char>(random());
    records[IndexKey(static_cast<std::uint64_t>(i))] = value;
  }
  return records;
}

Status Write(const std::string& path, const Records& records, const ShardOptions& options) {
  KM_ASSIGN(ShardWriter writer, ShardWriter::Create(path, options));
  for (const auto& [key, value] : records) KM_RETURN_IF_ERROR(writer.Append(key, value));
  return writer.Finish();
}

// Writes without ReplaceFile()'s syncs, which would make the test slow.
void Overwrite(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

Result<Records> Read(const std::string& path) {
  KM_ASSIGN(const ShardReader reader, ShardReader::Open(path));
  Records records;
  KM_RETURN_IF_ERROR(reader.ForEach("", [&](std::string_view key, std::string_view value, bool*) {
    records.emplace(key, value);
    return Status::Ok();
  }));
  return records;
}

TEST_F(ShardTest, GivesBackWhatWasWritten) {
  // More than the initial map and a single transaction hold, with values in overflow pages.
  const Records records = MakeRecords(1500, 40000, 1);
  ASSERT_TRUE(Write(path_, records, {.schema = "test.v1"}).ok());
  EXPECT_TRUE(Read(path_).value() == records);

  const ShardReader reader = ShardReader::Open(path_).value();
  EXPECT_EQ(reader.schema(), "test.v1");
  EXPECT_EQ(reader.count(), records.size());
  EXPECT_EQ(reader.Get(IndexKey(1500)).value(), std::nullopt);
  EXPECT_EQ(reader.Get("__meta__").value(), std::nullopt);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      for (int i = 0; i < 200; ++i) {
        const std::string key = IndexKey(random() % 1500);
        EXPECT_EQ(reader.Get(key).value(), records.at(key));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  std::vector<std::string> seen;
  ASSERT_TRUE(reader
                  .ForEach(IndexKey(1490),
                           [&](std::string_view key, std::string_view, bool* more) {
                             seen.emplace_back(key);
                             *more = seen.size() < 3;
                             return Status::Ok();
                           })
                  .ok());
  EXPECT_THAT(seen, testing::ElementsAre(IndexKey(1490), IndexKey(1491), IndexKey(1492)));
}

TEST_F(ShardTest, EmptyOnesAreShards) {
  ASSERT_TRUE(Write(path_, {}, {.schema = "test.v1"}).ok());
  EXPECT_TRUE(Read(path_).value().empty());
}

TEST_F(ShardTest, KeysAroundTheReservedOnesSurvive) {
  const Records records = {{"A", "1"}, {"_", "2"}, {"a", "3"}, {std::string(511, '\xff'), "4"}};
  ASSERT_TRUE(Write(path_, records, {.schema = "s", .dictionary = "no trained dictionary"}).ok());
  EXPECT_EQ(Read(path_).value(), records);
}

TEST_F(ShardTest, EqualRecordsMakeEqualBytes) {
  const Records records = MakeRecords(400, 9000, 2);
  ASSERT_TRUE(Write(path_, records, {.schema = "s"}).ok());
  ASSERT_TRUE(Write(folder_ + "/b.mdb", records, {.schema = "s"}).ok());
  EXPECT_TRUE(ReadFile(path_).value() == ReadFile(folder_ + "/b.mdb").value());
}

TEST_F(ShardTest, RefusesWhatItCannotKeep) {
  ShardWriter writer = ShardWriter::Create(path_, {.schema = "s"}).value();
  EXPECT_TRUE(writer.Append("b", "").ok());
  EXPECT_EQ(writer.Append("b", "").code(), ErrorCode::kInternal);
  EXPECT_EQ(writer.Append("a", "").code(), ErrorCode::kInternal);
  EXPECT_EQ(writer.Append("", "").code(), ErrorCode::kInternal);
  EXPECT_EQ(writer.Append("__meta__", "").code(), ErrorCode::kInternal);
  EXPECT_EQ(writer.Append(std::string(512, 'c'), "").code(), ErrorCode::kInternal);
}

TEST_F(ShardTest, TheFirstWriterWinsAndNothingElseIsLeft) {
  ShardWriter late = ShardWriter::Create(path_, {.schema = "late"}).value();
  ASSERT_TRUE(Write(path_, {{"a", "1"}}, {.schema = "first"}).ok());
  EXPECT_EQ(late.Finish().code(), ErrorCode::kExists);
  EXPECT_EQ(ShardWriter::Create(path_, {.schema = "s"}).status().code(), ErrorCode::kExists);
  {
    ShardWriter given_up = ShardWriter::Create(folder_ + "/b.mdb", {.schema = "s"}).value();
  }
  late = ShardWriter::Create(folder_ + "/c.mdb", {.schema = "s"}).value();
  {
    ShardWriter dies = std::move(late);
  }
  EXPECT_EQ(ShardReader::Open(path_).value().schema(), "first");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

// Uses a file system of 3 MiB in a mount namespace, in a child process, so that the disk is really
// full. Machines that do not allow this skip the test.
TEST_F(ShardTest, AFullDiskIsSaidToBeFull) {
  const pid_t child = fork();
  if (child == 0) {
    const uid_t user = getuid();
    if (unshare(CLONE_NEWNS | (user == 0 ? 0 : CLONE_NEWUSER)) != 0 ||
        mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=3m") != 0) {
      _exit(77);
    }
    Result<ShardWriter> writer = ShardWriter::Create(path_, {.schema = "s"});
    Status status = writer.status();
    for (const auto& [key, value] : MakeRecords(1000, 40000, 9)) {
      if (status.ok()) status = writer->Append(key, value);
    }
    _exit(status.code() == ErrorCode::kDiskFull ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no mount namespaces here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(ShardTest, OtherFilesAreNoShards) {
  for (const std::string& bytes :
       {std::string(), std::string("{}"), std::string(100000, '\0'), std::string(100000, '\xff')}) {
    Overwrite(path_, bytes);
    const Status status = ShardReader::Open(path_).status();
    EXPECT_EQ(status.code(), ErrorCode::kCorrupt);
    EXPECT_THAT(status.message(), HasSubstr(path_));
  }
  EXPECT_EQ(ShardReader::Open(folder_ + "/none").status().code(), ErrorCode::kNotFound);
}

TEST_F(ShardTest, CutAnywhereIsCorrupt) {
  ASSERT_TRUE(Write(path_, MakeRecords(200, 6000, 3), {.schema = "s"}).ok());
  const std::string whole = ReadFile(path_).value();
  std::mt19937 random(4);
  for (int i = 0; i < 100; ++i) {
    const std::size_t size =
        i % 2 ? random() % whole.size() : random() % (whole.size() / 4096) * 4096;
    Overwrite(path_, whole.substr(0, size));
    EXPECT_EQ(ShardReader::Open(path_).status().code(), ErrorCode::kCorrupt) << size;
  }
  Overwrite(path_, whole + std::string(4096, '\0'));
  EXPECT_EQ(ShardReader::Open(path_).status().code(), ErrorCode::kCorrupt);
}

// Damage must show as an error or hit bytes that no reader uses. It must never cause a crash or
// return a record that was not written.
TEST_F(ShardTest, DamagedBytesNeverCrashOrLie) {
  const Records records = MakeRecords(300, 6000, 5);
  ASSERT_TRUE(Write(path_, records, {.schema = "s"}).ok());
  const std::string whole = ReadFile(path_).value();
  std::mt19937 random(6);
  int found = 0;
  for (int i = 0; i < 1500; ++i) {
    std::string bytes = whole;
    // One third of the changes hit the meta pages and one third the start of a page, where the
    // structure is.
    const std::size_t page = random() % (whole.size() / 4096) * 4096;
    const std::size_t at = i % 3 == 0   ? random() % 4096 % 160 + (i % 2) * 4096
                           : i % 3 == 1 ? page + random() % 64
                                        : random() % whole.size();
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    Overwrite(path_, bytes);
    const Result<Records> read = Read(path_);
    if (read.ok()) {
      EXPECT_TRUE(*read == records) << "byte " << at;
    } else {
      EXPECT_EQ(read.status().code(), ErrorCode::kCorrupt) << read.status().message();
      EXPECT_THAT(read.status().message(), HasSubstr(path_));
      ++found;
    }
    Result<LmdbPages> pages = LmdbPages::Map(path_);
    ASSERT_TRUE(pages.ok());
    pages->Salvage([](std::string_view, std::string_view) {});
  }
  EXPECT_GT(found, 300);
}

TEST_F(ShardTest, SalvageFindsEveryRecordOfAFileWithoutItsRoot) {
  const Records records = MakeRecords(300, 6000, 7);
  ASSERT_TRUE(Write(path_, records, {.schema = "s"}).ok());
  std::string bytes = ReadFile(path_).value();
  bytes.replace(0, 8192, std::string(8192, '\0'));
  Overwrite(path_, bytes);
  ASSERT_FALSE(ShardReader::Open(path_).ok());
  Records found;
  LmdbPages pages = LmdbPages::Map(path_).value();
  pages.Salvage([&](std::string_view key, std::string_view value) { found.emplace(key, value); });
  for (const auto& [key, value] : records) EXPECT_TRUE(found.contains(key));
}

TEST_F(ShardTest, SorterSortsMergesAndLeavesNothing) {
  std::mt19937 random(8);
  std::map<std::string, std::string> expected;
  const auto largest = [](std::string_view a, std::string_view b) -> Result<std::string> {
    return std::string(std::max(a, b));
  };
  {
    ShardSorter sorter = ShardSorter::Create(folder_, largest).value();
    // About 60 MB: two transactions, with equal keys within one and across both.
    for (int i = 0; i < 12000; ++i) {
      const std::string key = std::to_string(random() % 8000);
      std::string value = std::to_string(random()) + std::string(5000, 'x');
      ASSERT_TRUE(sorter.Put(key, value).ok());
      std::string& kept = expected[key];
      kept = std::max(kept, value);
    }
    EXPECT_EQ(sorter.count(), 12000u);
    auto next = expected.begin();
    ASSERT_TRUE(sorter
                    .ForEach([&](std::string_view key, std::string_view value, bool*) {
                      EXPECT_EQ(key, next->first);
                      EXPECT_TRUE(value == next->second);
                      ++next;
                      return Status::Ok();
                    })
                    .ok());
    EXPECT_TRUE(next == expected.end());
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
  }
}

}  // namespace
}  // namespace kernelmill
