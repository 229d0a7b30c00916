#include "stages/pack/describe.h"

#include <gmock/gmock.h>

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
  facts.plan = {{"mine", DigestOf("plan")}};
  facts.counts["mine"] = {.in = 1, .kept = 1, .outputs = 1};
  // The second time over the pages of a run that was killed before it published.
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(DescribeDataset(folder.path(), packed, facts, {}, statistics, {}).ok());
  }
  const std::string card = ReadFile(folder.path() + "/README.md").value();
  EXPECT_THAT(card, HasSubstr(packed.merkle_root.Hex()));
  EXPECT_THAT(card, HasSubstr("path: \"data/train"));
  const DatasetManifest manifest = Publish(folder.path(), packed, facts).value();
  std::vector<std::string> files;
  for (const FileEntry& file : manifest.files) files.push_back(file.path);
  EXPECT_THAT(files, testing::IsSupersetOf({"README.md", "report.html"}));
}

}  // namespace
}  // namespace kernelmill
