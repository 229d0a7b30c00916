#include "stages/audit/audit.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "corpora/dataset/dataset_layout.h"
#include "corpora/shards/shard.h"
#include "manifests/dataset_listing.h"
#include "tests/stages/pack/synthetic_dataset.h"

namespace kernelmill {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Records = std::map<Digest, std::string>;

void Overwrite(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

AuditReport AuditOf(const std::string& folder) { return Audit(folder, {}).value(); }

std::vector<std::string> FilesOf(const std::string& folder) {
  return ListDataset(folder).value().files;
}

std::string Text(const AuditReport& report) { return report.ToJson().Pretty(); }

// Simulates somebody who changes files and then adapts the manifest, except for the Merkle root.
void RebuildManifest(const std::string& folder) {
  const std::string path = folder + "/manifest.json";
  DatasetManifest manifest = DatasetManifest::Decode(ReadFile(path).value()).value();
  manifest.files.clear();
  for (const std::string& file : FilesOf(folder)) {
    manifest.files.push_back(FileEntry::Of(folder, file).value());
  }
  Overwrite(path, manifest.Encode());
}

// Replaces a dataset's records, digests and exports, and adapts the manifest.
void Repack(const std::string& folder, const std::vector<std::string>& records) {
  const std::string shard = folder + "/" + RecordShardPath(0);
  std::filesystem::remove(shard);
  ShardWriter writer = ShardWriter::Create(shard, {.schema = std::string(kRecordSchema)}).value();
  std::string digests;
  for (const std::string& encoded : records) {
    ASSERT_TRUE(writer.Append(IndexKey(writer.count()), encoded).ok());
    digests += DigestEntry{Record::Decode(encoded)->ContentId(), DigestOf(encoded)}.Encode();
  }
  ASSERT_TRUE(writer.Finish().ok());
  Overwrite(folder + "/" + RecordDigestsPath(0), digests);
  RebuildManifest(folder);
}

std::vector<std::string> ValuesOf(const Records& records) {
  std::vector<std::string> values;
  for (const auto& [id, encoded] : records) values.push_back(encoded);
  return values;
}

class AuditTest : public testing::Test {
 protected:
  void Publish(int tasks, std::int64_t records_per_shard) {
    records_ = Weighed(SyntheticRecords(tasks));
    manifest_ = PublishSynthetic(folder_.path(), records_, records_per_shard).value();
    ASSERT_THAT(AuditOf(folder_.path()).findings, IsEmpty());
  }

  TemporaryFolder folder_;
  Records records_;
  DatasetManifest manifest_;
};

TEST_F(AuditTest, AWholeDatasetIsConsistentAndWithItsRootAuthentic) {
  Publish(20, 7);
  const AuditReport report = AuditOf(folder_.path());
  EXPECT_EQ(report.result, AuditResult::kConsistent);
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.records, 60);
  EXPECT_EQ(report.rows, 40);
  EXPECT_EQ(Audit(folder_.path(), {.root = manifest_.ManifestDigest()})->result,
            AuditResult::kAuthentic);
  EXPECT_EQ(Audit(folder_.path(), {.root = manifest_.merkle_root})->result,
            AuditResult::kSameRecords);
  const AuditReport other = Audit(folder_.path(), {.root = DigestOf("another")}).value();
  EXPECT_EQ(other.result, AuditResult::kAnotherDataset);
  ASSERT_EQ(other.findings.size(), 1u);
  EXPECT_THAT(other.findings[0].what,
              HasSubstr("its root ('merkle_root') " + manifest_.merkle_root.Hex()));
}

TEST_F(AuditTest, LocalStateOfTheRunIsNoPartOfIt) {
  Publish(3, 100);
  ASSERT_TRUE(MakeFolders(folder_.path() + "/.run/mine").ok());
  Overwrite(folder_.path() + "/.run/mine/plan.json", "{}");
  EXPECT_EQ(AuditOf(folder_.path()).result, AuditResult::kConsistent);
}

TEST_F(AuditTest, EveryOneOf300FlippedBytesIsFoundWithItsFile) {
  Publish(60, 50);
  std::vector<std::string> files = FilesOf(folder_.path());
  files.push_back("manifest.json");
  std::erase(files, std::string(kDuplicateListName));  // It is empty.
  std::mt19937 random(1);
  int with_record = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string& file = files[static_cast<std::size_t>(i) % files.size()];
    const std::string path = folder_.path() + "/" + file;
    const std::string whole = ReadFile(path).value();
    std::string damaged = whole;
    const std::size_t at = random() % damaged.size();
    damaged[at] = static_cast<char>(damaged[at] ^ (1 + random() % 255));
    Overwrite(path, damaged);
    const AuditReport report = AuditOf(folder_.path());
    EXPECT_THAT(report.findings, Contains(Field(&AuditFinding::file, file))) << at;
    // No other file is reported.
    EXPECT_THAT(report.findings, Not(Contains(Field(&AuditFinding::file, testing::Ne(file)))))
        << file << " " << at << Text(report);
    with_record += std::any_of(report.findings.begin(), report.findings.end(),
                               [](const AuditFinding& finding) { return !finding.record.empty(); });
    // Every byte of these files belongs to a record.
    if (file.ends_with(".jsonl") || file.ends_with(".digests")) {
      EXPECT_THAT(report.findings, Contains(Field(&AuditFinding::record, Not(IsEmpty())))) << at;
    }
    Overwrite(path, whole);
  }
  EXPECT_GT(with_record, 150);
  EXPECT_THAT(AuditOf(folder_.path()).findings, IsEmpty());
}

TEST_F(AuditTest, AByteInsideAStoredValueNamesItsRecord) {
  Publish(20, 100);
  const std::string path = folder_.path() + "/" + RecordShardPath(0);
  const std::string whole = ReadFile(path).value();
  // The magic number of a zstd frame.
  const std::string magic = "\x28\xb5\x2f\xfd";
  std::vector<std::string> named;
  for (std::size_t at = whole.find(magic); at != std::string::npos;
       at = whole.find(magic, at + 1)) {
    std::string damaged = whole;
    damaged[at + 20] = static_cast<char>(damaged[at + 20] ^ 0x10);
    Overwrite(path, damaged);
    const AuditReport report = AuditOf(folder_.path());
    for (const AuditFinding& finding : report.findings) {
      if (!finding.record.empty()) named.push_back(finding.record);
    }
  }
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  EXPECT_EQ(named.size(), records_.size());
}

TEST_F(AuditTest, MissingAndAddedFilesAreFound) {
  Publish(20, 7);
  for (const std::string& file : FilesOf(folder_.path())) {
    const std::string path = folder_.path() + "/" + file;
    const std::string bytes = ReadFile(path).value();
    std::filesystem::remove(path);
    EXPECT_THAT(AuditOf(folder_.path()).findings, Contains(Field(&AuditFinding::file, file)));
    Overwrite(path, bytes);
  }
  Overwrite(folder_.path() + "/data/extra.jsonl", "{}\n");
  EXPECT_THAT(AuditOf(folder_.path()).findings,
              Contains(Field(&AuditFinding::file, "data/extra.jsonl")));
  std::filesystem::remove(folder_.path() + "/data/extra.jsonl");
  std::filesystem::create_symlink("/etc/hostname", folder_.path() + "/link");
  EXPECT_THAT(AuditOf(folder_.path()).findings, Contains(Field(&AuditFinding::file, "link")));
}

TEST_F(AuditTest, ARemovedRecordIsFoundThoughTheManifestFitsTheFiles) {
  Publish(5, 100);
  std::vector<std::string> values = ValuesOf(records_);
  values.erase(values.begin() + 4);
  Repack(folder_.path(), values);
  const AuditReport report = AuditOf(folder_.path());
  EXPECT_TRUE(report.complete);
  EXPECT_THAT(report.findings, Contains(Field(&AuditFinding::what, HasSubstr("Merkle root"))));
}

TEST_F(AuditTest, AnAddedRecordIsFoundThoughTheManifestFitsTheFiles) {
  Publish(5, 100);
  const Records more = Weighed(SyntheticRecords(6));
  Repack(folder_.path(), ValuesOf(more));
  EXPECT_THAT(AuditOf(folder_.path()).findings,
              Contains(Field(&AuditFinding::what, HasSubstr("Merkle root"))));
}

TEST_F(AuditTest, AMovedRecordIsFoundThoughTheManifestFitsTheFiles) {
  Publish(5, 100);
  std::vector<std::string> values = ValuesOf(records_);
  std::swap(values[3], values[8]);
  Repack(folder_.path(), values);
  const AuditReport report = AuditOf(folder_.path());
  EXPECT_THAT(report.findings, Contains(Field(&AuditFinding::what, HasSubstr("Merkle root"))));
  EXPECT_THAT(report.findings, Contains(Field(&AuditFinding::what, HasSubstr("out of order"))));
}

TEST_F(AuditTest, AChangedExportIsFoundThoughTheManifestFitsTheFiles) {
  Publish(5, 100);
  const std::string path = folder_.path() + "/data/train.jsonl";
  std::string rows = ReadFile(path).value();
  rows[rows.find("Those of", rows.find('\n'))] = 't';
  Overwrite(path, rows);
  RebuildManifest(folder_.path());
  EXPECT_THAT(AuditOf(folder_.path()).findings,
              Contains(AuditFinding{"data/train.jsonl", "row 1",
                                    AuditOf(folder_.path()).findings[0].what}));
  Overwrite(path, ReadFile(path).value() + "{}\n");
  RebuildManifest(folder_.path());
  EXPECT_THAT(AuditOf(folder_.path()).findings, Contains(Field(&AuditFinding::record, "row 8")));
}

// A dataset whose every task has eight rows with one program.
class NearEqualTest : public testing::Test {
 protected:
  void SetUp() override {
    Records records = SyntheticRecords(6);
    const Records tasks = records;
    for (const auto& [id, encoded] : tasks) {
      Record row = Record::Decode(encoded).value();
      if (row.kind != RecordKind::kTraining) continue;
      TrainingRecord training = TrainingRecord::FromJson(row.payload).value();
      training.family = Family::kRepair;
      training.backend = "cuda";
      for (const std::string bug : {"a", "b", "c", "d"}) {
        training.messages = {
            {"user", training.messages.front().content + bug},
            {"assistant", "```python\nclass ModelNew:\n    task = '" + training.task_id.Hex() +
                              "'\n    def forward(self, x): return self.f(x)\n```\n"}};
        row.payload = training.ToJson();
        records[row.ContentId()] = row.Encode();
      }
    }
    records_ = Weighed(records);
  }

  // The audit of the records after `change`, with everything that depends on them.
  AuditReport AuditAfter(const std::function<void(const Record& record, RowAttributes*)>& change) {
    Records records = records_;
    for (auto& [id, encoded] : records) {
      Record record = Record::Decode(encoded).value();
      if (record.kind != RecordKind::kTraining) continue;
      RowAttributes attributes = RowAttributes::Of(record).value();
      change(record, &attributes);
      record.attributes = attributes.ToJson();
      encoded = record.Encode();
    }
    TemporaryFolder folder;
    const Result<DatasetManifest> manifest = PublishSynthetic(folder.path(), records, 100);
    EXPECT_TRUE(manifest.ok()) << manifest.status().message();
    near_equal_rows_ = manifest->near_equal_rows;
    card_ = ReadFile(folder.path() + "/" + std::string(kCardName)).value();
    return AuditOf(folder.path());
  }

  Records records_;
  std::int64_t near_equal_rows_ = 0;
  std::string card_;
};

TEST_F(NearEqualTest, RowsAboveTheLimitWeighNothingAndAreCounted) {
  std::map<Digest, int> trained;
  const AuditReport report = AuditAfter([&](const Record& record, RowAttributes* attributes) {
    const TrainingRecord training = TrainingRecord::FromJson(record.payload).value();
    if (training.family != Family::kRepair) return;
    EXPECT_EQ(attributes->weight == 0, !attributes->near_equal_to.empty());
    trained[training.task_id] += attributes->weight > 0;
  });
  EXPECT_THAT(report.findings, IsEmpty()) << Text(report);
  for (const auto& [task, rows] : trained) EXPECT_EQ(rows, 3);
  EXPECT_EQ(trained.size(), 6u);
  EXPECT_EQ(near_equal_rows_, 6 * 5);
  EXPECT_THAT(card_, HasSubstr("30 rows: repair 30 of 48."));
}

TEST_F(NearEqualTest, ARowAboveTheLimitCannotBeTrained) {
  std::string changed;
  const auto change_one = [&](const auto& change) {
    changed.clear();
    return AuditAfter([&](const Record& record, RowAttributes* attributes) {
      if (!changed.empty() || attributes->near_equal_to.empty()) return;
      changed = record.ContentId().Hex();
      change(attributes);
    });
  };
  const auto expect = [&](const AuditReport& report, const std::string& what) {
    EXPECT_THAT(report.findings,
                Contains(testing::AllOf(Field(&AuditFinding::record, HasSubstr(changed)),
                                        Field(&AuditFinding::what, HasSubstr(what)))));
  };
  expect(change_one([](RowAttributes* attributes) { attributes->weight = 1; }), "must weigh 0");
  expect(change_one([](RowAttributes* attributes) { attributes->near_equal_to.clear(); }),
         "its near_equal_to is ''");
  expect(change_one([](RowAttributes* attributes) {
           attributes->near_equal_to = DigestOf("another row").Hex();
         }),
         "but the programs of its task make");
}

TEST_F(NearEqualTest, ATrainedRowCannotBeLeftOut) {
  bool changed = false;
  const AuditReport report = AuditAfter([&](const Record& record, RowAttributes* attributes) {
    if (changed || !attributes->near_equal_to.empty()) return;
    changed = true;
    attributes->weight = 0;
    attributes->near_equal_to = record.ContentId().Hex();
  });
  EXPECT_THAT(report.findings, Contains(Field(&AuditFinding::what, HasSubstr("make ''"))));
}

// Records that were rewritten with everything that depends on them, including the Merkle root.
class RewrittenTest : public testing::Test {
 protected:
  AuditReport AuditWith(const std::function<void(Record*)>& change) {
    Records records;
    for (const auto& [id, encoded] : SyntheticRecords(5)) {
      Record record = Record::Decode(encoded).value();
      change(&record);
      records[record.ContentId()] = record.Encode();
    }
    TemporaryFolder folder;
    EXPECT_TRUE(PublishSynthetic(folder.path(), Weighed(records), 100).ok());
    return AuditOf(folder.path());
  }
};

TEST_F(RewrittenTest, MissingLicenceEvidenceIsFound) {
  const AuditReport report = AuditWith([](Record* record) { record->licences.clear(); });
  EXPECT_EQ(report.findings.size(), 15u);
  EXPECT_THAT(report.findings, Contains(Field(&AuditFinding::what, HasSubstr("licence"))));
}

TEST_F(RewrittenTest, ALicenceTextThatIsNoGitIdIsFoundAndNoPath) {
  TemporaryFolder folder;
  Records records = SyntheticRecords(2);
  ASSERT_TRUE(PublishSynthetic(folder.path(), Weighed(records), 100).ok());
  for (auto& [id, encoded] : records) {
    Record record = Record::Decode(encoded).value();
    record.licences[0].blob = "../../etc/passwd";
    encoded = record.Encode();
  }
  Repack(folder.path(), ValuesOf(Weighed(records)));
  EXPECT_THAT(AuditOf(folder.path()).findings,
              Contains(Field(&AuditFinding::what, HasSubstr("which is no Git id"))));
}

TEST_F(AuditTest, LicenceTextsAndNoticeAreThoseOfTheRecords) {
  Publish(3, 100);
  const std::string text = folder_.path() + "/" + LicenceTextPath(GitBlobId(kMitLicence));
  const std::string notice = folder_.path() + "/" + std::string(kNoticeName);
  ASSERT_EQ(ReadFile(text).value(), kMitLicence);
  EXPECT_THAT(ReadFile(notice).value(), HasSubstr("Copyright (c) 2020 Somebody"));
  for (const auto& [path, name] : {std::pair(text, LicenceTextPath(GitBlobId(kMitLicence))),
                                   std::pair(notice, std::string(kNoticeName))}) {
    const std::string whole = ReadFile(path).value();
    Overwrite(path, whole + "All rights reserved.\n");
    RebuildManifest(folder_.path());
    const AuditReport report = AuditOf(folder_.path());
    ASSERT_EQ(report.findings.size(), 1u) << Text(report);
    EXPECT_EQ(report.findings[0].file, name);
    std::filesystem::remove(path);
    RebuildManifest(folder_.path());
    EXPECT_THAT(AuditOf(folder_.path()).findings, Contains(Field(&AuditFinding::file, name)));
    Overwrite(path, whole);
    RebuildManifest(folder_.path());
    EXPECT_THAT(AuditOf(folder_.path()).findings, IsEmpty());
  }
}

TEST_F(RewrittenTest, EdgesToNowhereAreFound) {
  const AuditReport report = AuditWith([](Record* record) {
    if (record->kind == RecordKind::kTraining) {
      record->lineage.back().inputs.push_back(DigestOf("nothing"));
    }
  });
  EXPECT_THAT(report.findings,
              Contains(Field(&AuditFinding::what, HasSubstr("not in the dataset"))));
}

TEST_F(AuditTest, CountsThatDoNotAddUpAreFound) {
  Publish(3, 100);
  DatasetManifest manifest = manifest_;
  ++manifest.counts["slice"].kept;
  Overwrite(folder_.path() + "/manifest.json", manifest.Encode());
  EXPECT_THAT(AuditOf(folder_.path()).findings,
              Contains(Field(&AuditFinding::file, "manifest.json")));
  manifest = manifest_;
  ++manifest.records["task"];
  Overwrite(folder_.path() + "/manifest.json", manifest.Encode());
  EXPECT_THAT(AuditOf(folder_.path()).findings,
              Contains(Field(&AuditFinding::what, HasSubstr("'records'"))));
}

TEST_F(AuditTest, AHostileManifestOpensNothingOutside) {
  Publish(3, 100);
  DatasetManifest manifest = manifest_;
  manifest.files.insert(manifest.files.begin(), {"../../etc/passwd", 1, {}});
  Overwrite(folder_.path() + "/manifest.json", manifest.Encode());
  EXPECT_THAT(
      AuditOf(folder_.path()).findings,
      Contains(AuditFinding{"../../etc/passwd", "", "the manifest lists it, but it is missing"}));
}

TEST(Audit, AFolderWithoutManifestIsNoDataset) {
  TemporaryFolder folder;
  EXPECT_EQ(Audit(folder.path(), {}).status().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace kernelmill
