#include "stages/pack/export.h"

#include <gmock/gmock.h>

#include <fstream>
#include <random>

#include "manifests/dataset_listing.h"
#include "stages/pack/export_dataset.h"
#include "tests/stages/pack/synthetic_dataset.h"

namespace kernelmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Finding {
  std::string file;
  std::int64_t row = 0;

  friend bool operator==(const Finding&, const Finding&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Finding& finding) {
    return out << finding.file << " row " << finding.row;
  }
};

std::vector<Row> SyntheticRows(int tasks) {
  std::vector<Row> rows;
  for (const auto& [id, encoded] : SyntheticRecords(tasks)) {
    const Record record = Record::Decode(encoded).value();
    if (record.kind == RecordKind::kTraining) rows.push_back(Row::Of(record).value());
  }
  return rows;
}

void Overwrite(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// Every format must pass the same tests.
class ExportTest : public testing::TestWithParam<std::string> {
 protected:
  static constexpr std::int64_t kRowsPerFile = 10;

  const ExportFormat& Format() const { return **FindExportFormat(GetParam()); }

  // Returns the files in `folder` afterwards.
  std::vector<std::string> Write(const std::string& folder, const std::vector<Row>& rows) {
    const auto target = Format().open(folder, {.rows_per_parquet_file = kRowsPerFile}).value();
    for (const Row& row : rows) EXPECT_TRUE(target->Add(row).ok());
    EXPECT_TRUE(target->Finish().ok());
    return ListDataset(folder).value().files;
  }

  std::vector<Finding> Compare(const std::string& folder, const std::vector<Row>& rows) {
    std::vector<Finding> findings;
    const auto check =
        Format().check(folder, ListDataset(folder).value().files,
                       [&](const std::string& file, std::int64_t row, const std::string& what) {
                         EXPECT_FALSE(what.empty());
                         findings.push_back({file, row});
                       });
    if (check == nullptr) {
      ADD_FAILURE() << "no file is of this format";
      return findings;
    }
    for (const Row& row : rows) check->Add(row);
    check->Finish();
    return findings;
  }

  // The file of training rows that has row `row`, and the row's index in that file.
  Finding PlaceOf(std::int64_t row, std::int64_t rows) const {
    if (GetParam() != "parquet") return {"data/train." + Extension(), row};
    const std::int64_t files = (rows + kRowsPerFile - 1) / kRowsPerFile;
    return {"data/train-0000" + std::to_string(row / kRowsPerFile) + "-of-0000" +
                std::to_string(files) + ".parquet",
            row % kRowsPerFile};
  }
  std::string Extension() const { return GetParam() == "jsonl" ? "jsonl" : "jsonl.zst"; }

  TemporaryFolder folder_;
};

// The positions of the training rows.
std::vector<std::size_t> Train(const std::vector<Row>& rows) {
  std::vector<std::size_t> train;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].attributes.split == "train") train.push_back(i);
  }
  return train;
}

TEST_P(ExportTest, HoldsItsRowsAndTheSameBytesEachTime) {
  const std::vector<Row> rows = SyntheticRows(20);
  const std::vector<std::string> files = Write(folder_.path(), rows);
  EXPECT_THAT(files, testing::SizeIs(GetParam() == "parquet" ? 5 : 2));
  EXPECT_THAT(Compare(folder_.path(), rows), IsEmpty());
  TemporaryFolder again;
  ASSERT_EQ(Write(again.path(), rows), files);
  for (const std::string& file : files) {
    EXPECT_EQ(ReadFile(folder_.path() + "/" + file).value(),
              ReadFile(again.path() + "/" + file).value())
        << file;
  }
}

TEST_P(ExportTest, AChangedRowIsNamed) {
  const std::vector<Row> rows = SyntheticRows(20);
  const std::vector<std::size_t> train = Train(rows);
  for (std::size_t number : {0, 17, 31}) {
    TemporaryFolder folder;
    std::vector<Row> changed = rows;
    std::string& answer = changed[train[number]].training.messages[1].content;
    answer[answer.size() / 2] ^= 1;
    Write(folder.path(), changed);
    EXPECT_THAT(Compare(folder.path(), rows),
                ElementsAre(PlaceOf(static_cast<std::int64_t>(number), 32)));
  }
  std::vector<Row> changed = rows;
  changed[train[3]].licences = {"BSD"};
  Write(folder_.path(), changed);
  EXPECT_THAT(Compare(folder_.path(), rows), ElementsAre(PlaceOf(3, 32)));
}

TEST_P(ExportTest, MissingAndSurplusRowsAreFound) {
  const std::vector<Row> rows = SyntheticRows(20);
  std::vector<Row> fewer = rows;
  fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(Train(rows).back()));
  Write(folder_.path(), fewer);
  EXPECT_THAT(Compare(folder_.path(), rows), testing::Not(IsEmpty()));
  TemporaryFolder folder;
  Write(folder.path(), rows);
  EXPECT_THAT(Compare(folder.path(), fewer), ElementsAre(PlaceOf(31, 32)));
}

TEST_P(ExportTest, DamageIsBlamedOnItsFileAndMostlyOnARow) {
  const std::vector<Row> rows = SyntheticRows(20);
  std::mt19937 random(1);
  int found = 0, named = 0, flips = 0;
  for (const std::string& file : Write(folder_.path(), rows)) {
    const std::string path = folder_.path() + "/" + file;
    const std::string whole = ReadFile(path).value();
    for (int i = 0; i < 40; ++i, ++flips) {
      std::string damaged = whole;
      damaged[random() % damaged.size()] ^= static_cast<char>(1 + random() % 255);
      Overwrite(path, damaged);
      const std::vector<Finding> findings = Compare(folder_.path(), rows);
      for (const Finding& finding : findings) EXPECT_EQ(finding.file, file);
      found += !findings.empty();
      named += !findings.empty() && findings.front().row >= 0;
    }
    Overwrite(path, whole.substr(0, whole.size() / 2));
    EXPECT_THAT(Compare(folder_.path(), rows),
                testing::Contains(testing::Field(&Finding::file, file)));
    std::filesystem::remove(path);
    EXPECT_THAT(Compare(folder_.path(), rows),
                testing::Contains(testing::Field(&Finding::file, file)));
    Overwrite(path, whole);
  }
  // In Parquet, the footer is larger than ten short rows, and parts of it (statistics) are not
  // read.
  EXPECT_GE(found, flips * (GetParam() == "parquet" ? 0.4 : 0.95));
  EXPECT_GE(named, flips * (GetParam() == "parquet" ? 0.2 : 0.95));
  EXPECT_THAT(Compare(folder_.path(), rows), IsEmpty());
}

TEST_P(ExportTest, IsWrittenFromThePublishedShardsToo) {
  const auto records = SyntheticRecords(20);
  ASSERT_TRUE(PublishSynthetic(folder_.path(), records, 7).ok());
  TemporaryFolder output;
  const ExportedRows exported =
      ExportDataset(folder_.path(), Format(), {}, output.path() + "/new").value();
  EXPECT_EQ(exported.rows, (std::map<std::string, std::int64_t>{{"train", 32}, {"validation", 8}}));
  EXPECT_THAT(exported.files, testing::SizeIs(2));
  for (const std::string& file : exported.files) {
    EXPECT_EQ(ReadFile(output.path() + "/new/" + file).value(),
              ReadFile(folder_.path() + "/" + file).value());
  }
  EXPECT_EQ(ExportDataset(folder_.path(), Format(), {}, output.path() + "/new").status().code(),
            ErrorCode::kExists);
  EXPECT_EQ(ExportDataset(folder_.path(), Format(), {}, folder_.path()).status().code(),
            ErrorCode::kExists);
  EXPECT_EQ(ExportDataset(output.path(), Format(), {}, output.path() + "/x").status().code(),
            ErrorCode::kNotFound);
}

INSTANTIATE_TEST_SUITE_P(Formats, ExportTest, testing::Values("parquet", "jsonl", "jsonl_zst"),
                         [](const auto& info) { return info.param; });

TEST(ExportDataset, RecordsWithAnotherRootAreNotExported) {
  TemporaryFolder folder, other, output;
  ASSERT_TRUE(PublishSynthetic(folder.path(), SyntheticRecords(5), 100).ok());
  ASSERT_TRUE(PublishSynthetic(other.path(), SyntheticRecords(6), 100).ok());
  std::filesystem::copy_file(other.path() + "/shards/records-00000.mdb",
                             folder.path() + "/shards/records-00000.mdb",
                             std::filesystem::copy_options::overwrite_existing);
  const ExportFormat& format = **FindExportFormat("jsonl");
  EXPECT_EQ(ExportDataset(folder.path(), format, {}, output.path()).status().code(),
            ErrorCode::kCorrupt);
  EXPECT_THAT(ListDataset(output.path()).value().files, IsEmpty());
}

TEST(ExportFormat, AnUnknownNameListsWhatExists) {
  const Status status = FindExportFormat("csv").status();
  EXPECT_EQ(status.code(), ErrorCode::kConfig);
  EXPECT_THAT(status.message(), testing::HasSubstr("parquet, jsonl, jsonl_zst"));
}

}  // namespace
}  // namespace kernelmill
