#include "corpora/quarantine.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <vector>

namespace kernelmill {
namespace {

Reject MakeReject(const std::string& key, const std::string& original) {
  return {.step = "mine",
          .reason = "parse_error",
          .detail = "line 3",
          .key = key,
          .origins = {{.url = "https://example.org/a", .path = "a/b.py", .symbol = "Net"}},
          .original = original};
}

TEST(Reject, EncodesAnyBytes) {
  for (const std::string& original :
       {std::string(), std::string("\n\n{}\n"), std::string("\0\xff\xfe\n", 4)}) {
    const Reject reject = MakeReject("k", original);
    EXPECT_EQ(Reject::Decode(reject.Encode()).value(), reject);
  }
  Reject latin = MakeReject("caf\xe9", "x");
  EXPECT_EQ(Reject::Decode(latin.Encode()).value().key, "caf\\xe9");
}

TEST(Reject, DamagedOriginalBytesAreSeen) {
  const std::string bytes = MakeReject("k", "some bytes").Encode();
  EXPECT_FALSE(Reject::Decode("").ok());
  for (std::size_t i = bytes.find('\n') + 1; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] ^= 1;
    EXPECT_EQ(Reject::Decode(damaged).status().code(), ErrorCode::kCorrupt);
  }
}

TEST(Quarantine, KeepsEveryRejectAndEqualBytesOnce) {
  std::string folder = testing::TempDir() + "quarantine_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string big(1 << 20, 'x');
  const std::vector<Reject> rejects = {MakeReject("a", big), MakeReject("b", big),
                                       MakeReject("c", std::string("\0\n", 2)),
                                       MakeReject("d", "")};
  const auto write = [&](const std::string& path, bool backwards) {
    QuarantineWriter writer = QuarantineWriter::Create(path).value();
    for (std::size_t i = 0; i < rejects.size(); ++i) {
      const Reject& reject = rejects[backwards ? rejects.size() - 1 - i : i];
      EXPECT_TRUE(writer.Add(reject).ok());
    }
    EXPECT_TRUE(writer.Finish().ok());
  };
  const auto read = [&](const std::string& path) {
    std::vector<Reject> found;
    EXPECT_TRUE(QuarantineReader::Open(path)
                    ->ForEach([&](const Reject& reject) {
                      found.push_back(reject);
                      return Status::Ok();
                    })
                    .ok());
    return found;
  };
  write(folder + "/a.mdb", false);
  write(folder + "/b.mdb", true);
  EXPECT_THAT(read(folder + "/a.mdb"), testing::UnorderedElementsAreArray(rejects));
  EXPECT_EQ(read(folder + "/a.mdb"), read(folder + "/b.mdb"));
  // Four rejects and three distinct originals.
  EXPECT_EQ(ShardReader::Open(folder + "/a.mdb")->count(), 7u);
  std::filesystem::remove_all(folder);
}

TEST(Quarantine, FilesOfOthersAreNotTakenOver) {
  namespace fs = std::filesystem;
  std::string folder = testing::TempDir() + "quarantine_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string dataset = folder + "/out", place = QuarantineFolderOf(dataset);
  const auto refused = [&] { return CheckQuarantineFolder(dataset).code() == ErrorCode::kExists; };
  EXPECT_FALSE(refused());
  fs::create_directory(place);
  EXPECT_FALSE(refused());
  QuarantineWriter writer = QuarantineWriter::Create(place + "/join.mdb").value();
  ASSERT_TRUE(writer.Add(MakeReject("a", "x")).ok());
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_FALSE(refused());
  fs::create_symlink(place + "/join.mdb", place + "/select.mdb");
  EXPECT_TRUE(refused());
  fs::remove(place + "/select.mdb");
  std::ofstream(place + "/mine.mdb") << "mine";
  EXPECT_TRUE(refused());
  fs::rename(place, folder + "/mine");
  fs::create_directory_symlink(folder + "/mine", place);
  EXPECT_TRUE(refused());
  fs::remove(folder + "/mine/mine.mdb");
  EXPECT_FALSE(refused());
  fs::remove_all(folder + "/mine");
  EXPECT_TRUE(refused());
  fs::remove(place);
  std::ofstream(place) << "mine";
  EXPECT_TRUE(refused());
  fs::remove_all(folder);
}

}  // namespace
}  // namespace kernelmill
