#include "stages/pack/dataset_writer.h"

#include <gmock/gmock.h>

#include <sstream>

#include "corpora/dataset/dataset_layout.h"
#include "corpora/shards/shard.h"
#include "manifests/merkle.h"
#include "tests/stages/pack/synthetic_dataset.h"

namespace kernelmill {
namespace {

TEST(DatasetWriter, TheRootDependsOnTheRecordsAlone) {
  const auto records = SyntheticRecords(20);
  MerkleTree tree;
  for (const auto& [id, encoded] : records) tree.Add(DigestOf(encoded));
  for (std::int64_t records_per_shard : {1, 7, 60, 1000}) {
    TemporaryFolder folder;
    const DatasetManifest manifest =
        PublishSynthetic(folder.path(), records, records_per_shard).value();
    EXPECT_EQ(manifest.merkle_root, tree.Root());
    EXPECT_EQ(manifest.records,
              (std::map<std::string, std::int64_t>{{"task", 20}, {"training", 40}}));
    EXPECT_EQ(manifest.rows,
              (std::map<std::string, std::int64_t>{{"train", 32}, {"validation", 8}}));
  }
}

TEST(DatasetWriter, EqualRecordsMakeEqualFolders) {
  TemporaryFolder first, second;
  const auto records = SyntheticRecords(20);
  EXPECT_EQ(PublishSynthetic(first.path(), records, 7).value(),
            PublishSynthetic(second.path(), records, 7).value());
}

TEST(DatasetWriter, TheShardsHoldTheRecordsInOrder) {
  TemporaryFolder folder;
  const auto records = SyntheticRecords(20);
  ASSERT_TRUE(PublishSynthetic(folder.path(), records, 25).ok());
  auto next = records.begin();
  for (std::size_t number = 0; number < 3; ++number) {
    const ShardReader shard =
        ShardReader::Open(folder.path() + "/" + RecordShardPath(number)).value();
    for (std::uint64_t i = 0; i < shard.count(); ++i, ++next) {
      EXPECT_EQ(shard.Get(IndexKey(i)).value(), next->second);
    }
  }
  EXPECT_TRUE(next == records.end());
}

TEST(DatasetWriter, JsonLinesHaveOneRowATrainingRecord) {
  TemporaryFolder folder;
  ASSERT_TRUE(PublishSynthetic(folder.path(), SyntheticRecords(20), 25).ok());
  std::istringstream lines(ReadFile(folder.path() + "/data/train.jsonl").value());
  int rows = 0;
  for (std::string line; std::getline(lines, line); ++rows) {
    const Json row = Json::Parse(line).value();
    EXPECT_EQ(row.Find("split")->as_string(), "train");
    EXPECT_EQ(row.Find("messages")->as_array().size(), 2u);
    EXPECT_THAT(row.Find("origins")->as_array()[0].as_string(), testing::StartsWith("swh:1:cnt:"));
    EXPECT_EQ(row.Find("licences")->as_array()[0].as_string(), "MIT");
  }
  EXPECT_EQ(rows, 32);
}

TEST(DatasetWriter, RefusesDisorderAndPublishedFolders) {
  TemporaryFolder folder;
  const auto records = SyntheticRecords(3);
  {
    DatasetWriter writer = DatasetWriter::Create(folder.path(), {}).value();
    ASSERT_TRUE(writer.Add(records.rbegin()->second).ok());
    EXPECT_EQ(writer.Add(records.rbegin()->second).code(), ErrorCode::kInternal);
    EXPECT_EQ(writer.Add(records.begin()->second).code(), ErrorCode::kInternal);
    EXPECT_FALSE(writer.Add("{}").ok());
  }
  // Files left by the failed attempt do no harm.
  ASSERT_TRUE(PublishSynthetic(folder.path(), records, 2).ok());
  EXPECT_EQ(DatasetWriter::Create(folder.path(), {}).status().code(), ErrorCode::kExists);
}

TEST(DatasetWriter, NoRecordsAreADatasetToo) {
  TemporaryFolder folder;
  EXPECT_EQ(PublishSynthetic(folder.path(), {}, 2).value().merkle_root, MerkleTree().Root());
}

}  // namespace
}  // namespace kernelmill
