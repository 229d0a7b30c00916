#include <gmock/gmock.h>

#include "generators/standard_documents/croissant_document.h"
#include "generators/standard_documents/dataset_statements.h"
#include "generators/standard_documents/provenance_statement.h"
#include "generators/standard_documents/spdx_document.h"
#include "tests/generators/described_dataset.h"

namespace kernelmill {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kCommit(40, 'c'), kHash(64, 'd');
const Publication kPublication = {"name", "https://example.org/d", "Lab", "2026-01-02",
                                  "2026-01-03"};

Record RecordFrom(Origin origin, std::string spdx) {
  return {.origins = {std::move(origin)}, .licences = {{.spdx = std::move(spdx)}}};
}

// A dataset with a source of each kind.
DocumentedDataset OfAllSources() {
  DocumentedDataset dataset;
  dataset.description = Ordinary();
  dataset.manifest.rows = {{"train", 3}};
  dataset.manifest.versions = {{"kernelmill", "0.1.0"}, {"program", kHash}, {"torch", "2.1+cpu"}};
  dataset.manifest.files = {{"data/train.jsonl", 7, DigestOf("rows")},
                            {"shards/records-00000.mdb", 9, DigestOf("records")}};
  dataset.manifest_file = {"manifest.json", 5, DigestOf("manifest")};
  for (const Record& record :
       {RecordFrom({.url = "https://example.org/a", .commit = kCommit}, "MIT"),
        RecordFrom({.url = "pkg:pypi/b@1.0", .commit = kCommit}, "Apache-2.0 WITH LLVM-exception"),
        RecordFrom({.generator = 6, .seed = 4}, "MIT"),
        RecordFrom({.url = "user", .path = "t.jsonl", .sha256 = kHash, .row = 3}, "NOASSERTION"),
        RecordFrom({.model = "a model; of 7B"}, "MIT")}) {
    dataset.sources.Add(record);
  }
  dataset.columns = {{"content_id"},
                     {"split"},
                     {"messages", DocumentedColumn::Type::kList, {{"role"}, {"content"}}}};
  return dataset;
}

// The elements of a type in an SPDX document.
std::vector<const Json*> ElementsOf(const Json& document, std::string_view type) {
  std::vector<const Json*> elements;
  for (const Json& element : document.Find("@graph")->as_array()) {
    if (element.TextAt("type") == type) elements.push_back(&element);
  }
  return elements;
}

TEST(StandardDocuments, ProvenanceNamesEverySourceAndProgram) {
  const Json statement =
      ProvenanceStatement(OfAllSources(), {{"spdx.json", 1, DigestOf("document")}});
  std::map<std::string, std::string> dependencies;
  const Json& definition = *statement.Find("predicate")->Find("buildDefinition");
  for (const Json& item : definition.Find("resolvedDependencies")->as_array()) {
    const Json* const digest = item.Find("digest");
    dependencies[item.TextAt("uri")] = digest == nullptr ? "" : digest->Dump();
  }
  const std::string commit = R"({"gitCommit":")" + kCommit + R"("})";
  const std::string sha256 = R"({"sha256":")" + kHash + R"("})";
  EXPECT_EQ(dependencies, (std::map<std::string, std::string>{
                              {"git+https://example.org/a@" + kCommit, commit},
                              {"pkg:pypi/b@1.0", commit},
                              {"kernelmill:generated;version=6", ""},
                              {"user", sha256},
                              {"kernelmill:sampled;model=a%20model%3B%20of%207B", ""},
                              {"pkg:generic/kernelmill@0.1.0", sha256},
                              {"pkg:pypi/torch@2.1%2Bcpu", ""}}));
  std::vector<std::string> subjects;
  for (const Json& subject : statement.Find("subject")->as_array()) {
    subjects.push_back(subject.TextAt("name"));
  }
  EXPECT_THAT(subjects, ElementsAre("data/train.jsonl", "manifest.json", "shards/records-00000.mdb",
                                    "spdx.json"));
}

TEST(StandardDocuments, SpdxRelatesOnlyWhatItHas) {
  const Json document = SpdxDocument(OfAllSources(), kPublication);
  std::set<std::string> ids = {"expandedlicensing_NoAssertionLicense"};
  for (const Json& element : document.Find("@graph")->as_array()) {
    const std::string id = element.TextAt("spdxId");
    if (!id.empty()) EXPECT_TRUE(ids.insert(id).second) << id << " stands twice";
  }
  EXPECT_EQ(ElementsOf(document, "software_Package").size(), 5u);
  EXPECT_EQ(ElementsOf(document, "software_File").size(), 3u);
  for (const Json* relation : ElementsOf(document, "Relationship")) {
    EXPECT_TRUE(ids.contains(relation->TextAt("from")));
    for (const Json& to : relation->Find("to")->as_array()) {
      EXPECT_TRUE(ids.contains(to.as_string())) << to.as_string();
    }
  }
  const Json* const package = ElementsOf(document, "dataset_DatasetPackage").at(0);
  EXPECT_EQ(package->IntegerAt("dataset_datasetSize"), 7 + 9 + 5);
  EXPECT_EQ(package->TextAt("releaseTime"), "2026-01-03T00:00:00Z");
}

TEST(StandardDocuments, CroissantListsColumnsOnlyOfParquetFiles) {
  DocumentedDataset dataset = OfAllSources();
  EXPECT_EQ(CroissantDocument(dataset, kPublication).Find("recordSet"), nullptr);
  dataset.manifest.files.push_back({"data/train-00000-of-00001.parquet", 3, DigestOf("parquet")});
  const Json document = CroissantDocument(dataset, kPublication);
  const Json& rows = document.Find("recordSet")->as_array().at(1);
  ASSERT_EQ(rows.Find("field")->as_array().size(), 3u);
  EXPECT_EQ(rows.Find("field")->as_array().at(2).Find("subField")->as_array().size(), 2u);
  EXPECT_EQ(document.Find("distribution")->as_array().size(), 4u + 1);
  EXPECT_EQ(document.Find("license")->Dump(),
            R"(["Apache-2.0 WITH LLVM-exception","https://spdx.org/licenses/MIT"])");
}

TEST(StandardDocuments, StatementsFollowFromTheSources) {
  EXPECT_EQ(
      CollectionOf(OfAllSources()),
      "PyTorch modules and native kernels were cut out of 2 repositories, each at one commit. "
      "Tasks were read from 1 source of the user: files or folders. kernelmill drew modules "
      "under 1 seed. Answers are samples of 1 language model.");
  DocumentedDataset none;
  EXPECT_EQ(CollectionOf(none), "The dataset has no records.");
  EXPECT_EQ(InferencesOf(none), "");
  DocumentedDataset contaminated = OfAllSources();
  contaminated.manifest.contaminated = true;
  EXPECT_THAT(BiasesOf(contaminated).back(), HasSubstr("protected benchmark"));
}

TEST(StandardDocuments, LicencesAreJoinedAsSpdxAsks) {
  EXPECT_EQ(AllLicences({"MIT"}), "MIT");
  EXPECT_EQ(AllLicences({"ISC OR MIT"}), "ISC OR MIT");
  EXPECT_EQ(AllLicences({"", "ISC OR MIT", "MIT", "NOASSERTION"}), "(ISC OR MIT) AND MIT");
  EXPECT_EQ(AllLicences({"NOASSERTION"}), "");
  EXPECT_EQ(LicenceUrl("GPL-2.0+"), "https://spdx.org/licenses/GPL-2.0+");
  EXPECT_EQ(LicenceUrl("LicenseRef-own"), "LicenseRef-own");
}

}  // namespace
}  // namespace kernelmill
