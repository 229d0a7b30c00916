#include "corpora/dataset/dataset_reader.h"

#include <gmock/gmock.h>

#include <fstream>

#include "corpora/dataset/dataset_layout.h"
#include "tests/stages/pack/synthetic_dataset.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;

std::vector<Digest> IdsFrom(DatasetReader* dataset, const Digest& first) {
  std::vector<Digest> ids;
  const Status status = dataset->ForEach(first, [&](const Digest& id, const Record& record, bool*) {
    EXPECT_EQ(record.ContentId(), id);
    ids.push_back(id);
    return Status::Ok();
  });
  EXPECT_TRUE(status.ok()) << status.message();
  return ids;
}

class DatasetReaderTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    records_ = SyntheticRecords(9);
    ASSERT_TRUE(PublishSynthetic(folder_.path(), records_, GetParam()).ok());
  }

  TemporaryFolder folder_;
  std::map<Digest, std::string> records_;
};

TEST_P(DatasetReaderTest, WalksFromAnyPointInOrder) {
  DatasetReader dataset = DatasetReader::Open(folder_.path()).value();
  std::vector<Digest> ids;
  for (const auto& [id, encoded] : records_) ids.push_back(id);
  EXPECT_EQ(IdsFrom(&dataset, Digest()), ids);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(IdsFrom(&dataset, ids[i]), std::vector<Digest>(ids.begin() + i, ids.end()));
  }
  Digest beyond;
  beyond.bytes.fill(0xff);
  EXPECT_TRUE(IdsFrom(&dataset, beyond).empty());
}

TEST_P(DatasetReaderTest, FindsEveryRecordAndNoOther) {
  DatasetReader dataset = DatasetReader::Open(folder_.path()).value();
  for (const auto& [id, encoded] : records_) {
    EXPECT_EQ(dataset.Find(id).value().value().Encode(), encoded);
    Digest neighbour = id;
    ++neighbour.bytes.back();
    EXPECT_FALSE(dataset.Find(neighbour).value().has_value());
  }
}

TEST_P(DatasetReaderTest, FindsWhileItWalks) {
  DatasetReader dataset = DatasetReader::Open(folder_.path()).value();
  int visited = 0;
  const Status status = dataset.ForEach({}, [&](const Digest&, const Record&, bool*) -> Status {
    for (const auto& [id, encoded] : records_) {
      KM_ASSIGN(const std::optional<Record> record, dataset.Find(id));
      EXPECT_TRUE(record.has_value());
    }
    ++visited;
    return Status::Ok();
  });
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(visited, 27);
}

TEST_P(DatasetReaderTest, ResolvesPrefixesThatNameOneRecord) {
  DatasetReader dataset = DatasetReader::Open(folder_.path()).value();
  for (const auto& [id, encoded] : records_) {
    EXPECT_EQ(dataset.Resolve(id.Hex()).value(), id);
    for (std::size_t digits = 1; digits < 12; ++digits) {
      const std::string prefix = id.Hex().substr(0, digits);
      const auto same = std::count_if(records_.begin(), records_.end(), [&](const auto& entry) {
        return entry.first.Hex().starts_with(prefix);
      });
      const Result<Digest> found = dataset.Resolve(prefix);
      ASSERT_EQ(found.ok(), same == 1) << prefix;
      if (same == 1) {
        EXPECT_EQ(*found, id);
      } else {
        EXPECT_EQ(found.status().code(), ErrorCode::kUsage);
        EXPECT_THAT(found.status().message(), HasSubstr("give more digits"));
      }
    }
  }
  EXPECT_EQ(dataset.Resolve(std::string(64, 'f')).status().code(), ErrorCode::kNotFound);
  for (const char* bad : {"", "xyz", "../..", "\x1b[2J"}) {
    EXPECT_EQ(dataset.Resolve(bad).status().code(), ErrorCode::kUsage);
  }
  EXPECT_EQ(dataset.Resolve(std::string(65, 'a')).status().code(), ErrorCode::kUsage);
}

INSTANTIATE_TEST_SUITE_P(RecordsPerShard, DatasetReaderTest, testing::Values(1, 4, 100));

TEST(DatasetReader, NamesTheRecordThatDoesNotAgreeWithItsDigest) {
  TemporaryFolder folder;
  const auto records = SyntheticRecords(2);
  ASSERT_TRUE(PublishSynthetic(folder.path(), records, 100).ok());
  const std::string path = folder.path() + "/" + RecordDigestsPath(0);
  std::string digests = ReadFile(path).value();
  digests[2 * kDigestEntryBytes - 1] ^= 1;
  std::ofstream(path, std::ios::binary | std::ios::trunc) << digests;
  DatasetReader dataset = DatasetReader::Open(folder.path()).value();
  EXPECT_TRUE(dataset.Find(records.begin()->first).ok());
  const Digest damaged = std::next(records.begin())->first;
  const Status status = dataset.Find(damaged).status();
  EXPECT_EQ(status.code(), ErrorCode::kCorrupt);
  EXPECT_THAT(status.message(), HasSubstr("record 1 (" + damaged.Hex()));
  EXPECT_EQ(
      dataset.ForEach({}, [](const Digest&, const Record&, bool*) { return Status::Ok(); }).code(),
      ErrorCode::kCorrupt);
}

TEST(DatasetReader, AnEmptyDatasetHasNothing) {
  TemporaryFolder folder;
  ASSERT_TRUE(PublishSynthetic(folder.path(), {}, 2).ok());
  DatasetReader dataset = DatasetReader::Open(folder.path()).value();
  EXPECT_TRUE(IdsFrom(&dataset, {}).empty());
  EXPECT_FALSE(dataset.Find(DigestOf("x")).value().has_value());
  EXPECT_EQ(dataset.Resolve("ab").status().code(), ErrorCode::kNotFound);
  EXPECT_EQ(DatasetReader::Open(folder.path() + "/data").status().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace kernelmill
