#include "stages/audit/trace.h"

#include <gmock/gmock.h>

#include "tests/corpora/described_module.h"
#include "tests/stages/pack/synthetic_dataset.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;
using testing::Not;

class TraceTest : public testing::Test {
 protected:
  Ancestry TraceOf(const std::map<Digest, std::string>& records, const Digest& id) {
    EXPECT_TRUE(PublishSynthetic(folder_.path(), records, 2).ok());
    DatasetReader dataset = DatasetReader::Open(folder_.path()).value();
    return Trace(&dataset, id).value();
  }

  TemporaryFolder folder_;
};

TEST_F(TraceTest, LeadsFromARowToCommitAndLine) {
  DescribedModule scale;
  std::map<Digest, std::string> records;
  scale.AddTo(&records);
  const Ancestry ancestry = TraceOf(records, scale.row.ContentId());
  const Digest task = scale.task.ContentId(), annotation = scale.annotation.ContentId();

  std::vector<Digest> order;
  for (const Ancestor& ancestor : ancestry.ancestors) order.push_back(ancestor.content_id);
  // The annotation was made from the task too, which is listed only once.
  EXPECT_EQ(order, (std::vector<Digest>{scale.row.ContentId(), task, DigestOf("candidate"),
                                        annotation, task}));
  EXPECT_FALSE(ancestry.ancestors[2].record.has_value());
  EXPECT_TRUE(ancestry.ancestors[4].seen);

  const std::string text = ancestry.Text();
  EXPECT_THAT(
      text, HasSubstr("made by  render v1, parameters " + DigestOf("render").Hex().substr(0, 12) +
                      ", from " + task.Hex().substr(0, 12) + ", " + annotation.Hex().substr(0, 12) +
                      "\n"));
  EXPECT_THAT(text, HasSubstr("net/scale.py:3-20 (Scale), https://example.org/a at cccc"));
  EXPECT_THAT(text, HasSubstr(scale.task.origins[0].Swhid()));
  EXPECT_THAT(text, HasSubstr("MIT (nearest_file: LICENSE), blob " + GitBlobId(kMitLicence)));
  EXPECT_THAT(text, HasSubstr("(see above)"));
  // The task and the annotation have the same origin as the row, which is printed only once.
  EXPECT_THAT(text, HasSubstr("      origin   as above, and the licence\n"));
  EXPECT_EQ(text.find("nearest_file"), text.rfind("nearest_file"));

  const Json json = ancestry.ToJson();
  EXPECT_EQ(json.Find("records")->as_array().size(), 3u);
  EXPECT_EQ(json.Find("absent")->Dump(), "[\"" + DigestOf("candidate").Hex() + "\"]");
  const Json& first = json.Find("records")->as_array()[0];
  EXPECT_EQ(first.Find("record_digest")->as_string(), scale.row.RecordDigest().Hex());
  EXPECT_EQ(first.Find("lineage")->as_array()[0].Find("inputs")->as_array().size(), 2u);
}

TEST_F(TraceTest, EndsOnACycle) {
  DescribedModule scale;
  std::map<Digest, std::string> records;
  scale.AddTo(&records);
  // A forged task that claims to be derived from its own annotation and from itself.
  Record task = scale.task;
  task.lineage[1].inputs = {scale.annotation.ContentId(), task.ContentId()};
  records[task.ContentId()] = task.Encode();
  const Ancestry ancestry = TraceOf(records, scale.row.ContentId());
  EXPECT_LT(ancestry.ancestors.size(), 8u);
}

TEST_F(TraceTest, HostileNamesStayOffTheTerminal) {
  DescribedModule hostile{
      .name = HostileName(), .url = HostileName(), .path = HostileName(), .spdx = HostileName()};
  std::map<Digest, std::string> records;
  hostile.AddTo(&records);
  const std::string text = TraceOf(records, hostile.row.ContentId()).Text();
  for (const char* bad : {"\x1b", "\x07", "\xe2\x80\xae", "\xc2\x9b", "\nlicense: evil"}) {
    EXPECT_THAT(text, Not(HasSubstr(bad)));
  }
}

TEST_F(TraceTest, AnUnknownRecordIsAnError) {
  std::map<Digest, std::string> records;
  DescribedModule().AddTo(&records);
  ASSERT_TRUE(PublishSynthetic(folder_.path(), records, 2).ok());
  DatasetReader dataset = DatasetReader::Open(folder_.path()).value();
  EXPECT_EQ(Trace(&dataset, DigestOf("x")).status().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace kernelmill
