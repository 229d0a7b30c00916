#include "stages/pack/describe.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "manifests/dataset_listing.h"
#include "tests/corpora/described_module.h"
#include "tests/stages/pack/synthetic_dataset.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;

TEST(DescribeDataset, ThePagesArePartOfTheDataset) {
  TemporaryFolder folder;
  std::map<Digest, std::string> records;
  DescribedModule().AddTo(&records);
  DatasetStatistics statistics;
  DatasetWriter writer = DatasetWriter::Create(folder.path(), {}).value();
  for (const auto& [id, encoded] : records) {
    ASSERT_TRUE(writer.Add(encoded).ok());
    ASSERT_TRUE(statistics.Add(Record::Decode(encoded).value()).ok());
  }
  const PackedRecords packed = writer.Finish().value();
  DatasetFacts facts;
  facts.plan = {{"slice", DigestOf("plan")}};
  facts.counts["slice"] = {.in = 1, .kept = 1, .outputs = 1};
  facts.files = ListDataset(folder.path()).value().files;
  for (const std::string_view page : {kCardName, kReportName}) facts.files.emplace_back(page);
  std::sort(facts.files.begin(), facts.files.end());
  // The second time over the pages of a run that was killed before it published.
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(
        DescribeDataset(folder.path(), DescriptionOf(packed, facts, {}, statistics, {})).ok());
  }
  const std::string card = ReadFile(folder.path() + "/README.md").value();
  EXPECT_THAT(card, HasSubstr(packed.merkle_root.Hex()));
  EXPECT_THAT(card, HasSubstr("path: \"data/train"));
  const DatasetManifest manifest = Publish(folder.path(), packed, facts).value();
  std::vector<std::string> files;
  for (const FileEntry& file : manifest.files) files.push_back(file.path);
  EXPECT_THAT(files, testing::IsSupersetOf({"README.md", "report.html"}));
}

TEST(Publish, AFileThatIsNoPartOfTheDatasetIsNamedAndLeftAlone) {
  TemporaryFolder folder;
  const std::string mine = folder.path() + "/data/mine.txt";
  ASSERT_TRUE(MakeFolders(folder.path() + "/data").ok());
  ASSERT_TRUE(CommitFile(mine, "mine").ok());
  const Status status = PublishSynthetic(folder.path(), SyntheticRecords(2), 7).status();
  EXPECT_EQ(status.code(), ErrorCode::kExists);
  EXPECT_THAT(status.message(), HasSubstr("data/mine.txt"));
  EXPECT_EQ(ReadFile(mine).value(), "mine");
  std::filesystem::remove(mine);
  EXPECT_TRUE(PublishSynthetic(folder.path(), SyntheticRecords(2), 7).ok());
}

}  // namespace
}  // namespace kernelmill
