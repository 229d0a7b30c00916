#include "stages/audit/dataset_difference.h"

#include <gmock/gmock.h>

#include "tests/stages/pack/synthetic_dataset.h"

namespace kernelmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::map<Digest, std::string> Without(std::map<Digest, std::string> records, const Digest& task) {
  std::erase_if(records, [&](const auto& item) {
    const Record record = Record::Decode(item.second).value();
    return item.first == task ||
           (record.kind == RecordKind::kTraining && record.payload.TextAt("task_id") == task.Hex());
  });
  return records;
}

TEST(CompareDatasets, NamesRecordsThatOnlyOneSideHasAndIsMirroredByTheOtherOrder) {
  const auto records = SyntheticRecords(4);
  for (const auto& [id, encoded] : records) {
    if (Record::Decode(encoded)->kind != RecordKind::kTask) continue;
    TemporaryFolder a, b;
    ASSERT_TRUE(PublishSynthetic(a.path(), Weighed(records), 4).ok());
    ASSERT_TRUE(PublishSynthetic(b.path(), Weighed(Without(records, id)), 100).ok());
    const DatasetDifference there = CompareDatasets(a.path(), b.path()).value();
    EXPECT_FALSE(there.Equal());
    EXPECT_EQ(there.removed.size(), 3u);
    EXPECT_EQ(there.removed.count(id), 1u);
    EXPECT_THAT(there.added, IsEmpty());
    EXPECT_EQ(there.removed_sources.size(), 1u);
    EXPECT_EQ(there.counts.at("records.task"), DatasetDifference::Pair(4, 3));
    EXPECT_EQ(there.equal_records + static_cast<std::int64_t>(there.changed.size()), 9);
    const DatasetDifference back = CompareDatasets(b.path(), a.path()).value();
    EXPECT_EQ(back.added, there.removed);
    EXPECT_EQ(back.removed, there.added);
    EXPECT_EQ(back.added_sources, there.removed_sources);
    EXPECT_EQ(back.equal_records, there.equal_records);
    EXPECT_EQ(back.files, there.files);
    EXPECT_TRUE(CompareDatasets(a.path(), a.path())->Equal());
  }
}

TEST(CompareDatasets, NamesTheColumnsThatChanged) {
  const auto records = Weighed(SyntheticRecords(3));
  auto changed = records;
  const auto at = std::find_if(changed.begin(), changed.end(), [](const auto& item) {
    return Record::Decode(item.second)->kind == RecordKind::kTraining;
  });
  Record record = Record::Decode(at->second).value();
  record.attributes["weight"] = 0.25;
  record.origins.front().path = "moved.py";
  at->second = record.Encode();
  TemporaryFolder a, b;
  ASSERT_TRUE(PublishSynthetic(a.path(), records, 100).ok());
  ASSERT_TRUE(PublishSynthetic(b.path(), changed, 100).ok());
  const DatasetDifference difference = CompareDatasets(a.path(), b.path()).value();
  ASSERT_EQ(difference.changed.size(), 1u);
  EXPECT_EQ(difference.changed.begin()->first, at->first);
  EXPECT_THAT(difference.changed.begin()->second.columns, ElementsAre("origins", "weight"));
  EXPECT_THAT(difference.removed, IsEmpty());
  EXPECT_THAT(difference.added, IsEmpty());
}

TEST(CompareDatasets, ADamagedDatasetIsNamed) {
  TemporaryFolder a, b;
  ASSERT_TRUE(PublishSynthetic(a.path(), Weighed(SyntheticRecords(2)), 100).ok());
  EXPECT_EQ(CompareDatasets(a.path(), b.path()).status().code(), ErrorCode::kNotFound);
  const std::string configuration = a.path() + "/" + std::string(kConfigurationName);
  ASSERT_TRUE(ReplaceFile(configuration, "[").ok());
  const Result<DatasetDifference> damaged = CompareDatasets(a.path(), a.path());
  ASSERT_FALSE(damaged.ok());
  EXPECT_THAT(damaged.status().message(), testing::HasSubstr(configuration));
}

}  // namespace
}  // namespace kernelmill
