#include "stages/pack/row_query.h"

#include <gmock/gmock.h>

#include "tests/corpora/described_module.h"
#include "tests/stages/pack/synthetic_dataset.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

class RowQueryTest : public testing::Test {
 protected:
  void SetUp() override {
    std::map<Digest, std::string> records;
    scale_.AddTo(&records);
    attention_ = {.name = "Attention",
                  .url = "pkg:pypi/b@1.0",
                  .path = "b/attention.py",
                  .spdx = "Apache-2.0",
                  .op = "matmul",
                  .split = "validation",
                  .width = 64};
    attention_.AddTo(&records);
    unlicensed_ = {.name = "Plain", .path = "net/plain.py", .spdx = "", .width = 16};
    unlicensed_.AddTo(&records);
    ASSERT_TRUE(PublishSynthetic(folder_.path(), records, 2).ok());
  }

  std::vector<std::string> Names(const RowQuery& query) {
    DatasetReader dataset = DatasetReader::Open(folder_.path()).value();
    std::vector<std::string> names;
    const Status status = FindRows(&dataset, query, [&](const RowInContext& row, bool*) {
      names.push_back(row.record.origins.front().symbol);
      return Status::Ok();
    });
    EXPECT_TRUE(status.ok()) << status.message();
    return names;
  }

  TemporaryFolder folder_;
  DescribedModule scale_, attention_, unlicensed_;
};

TEST_F(RowQueryTest, EachConditionSelects) {
  EXPECT_THAT(Names({}), UnorderedElementsAre("Scale", "Attention", "Plain"));
  EXPECT_THAT(Names({.family = Family::kShapeReasoning}).size(), 3u);
  EXPECT_THAT(Names({.family = Family::kKnowledge}), IsEmpty());
  EXPECT_THAT(Names({.origin = "pkg:pypi/b@"}), UnorderedElementsAre("Attention"));
  EXPECT_THAT(Names({.origin = "net/"}), UnorderedElementsAre("Scale", "Plain"));
  EXPECT_THAT(Names({.origin = "Plain"}), UnorderedElementsAre("Plain"));
  EXPECT_THAT(Names({.op = "matmul"}), UnorderedElementsAre("Attention"));
  EXPECT_THAT(Names({.op = "aten.mul"}), UnorderedElementsAre("Scale", "Plain"));
  EXPECT_THAT(Names({.op = "MatMul"}), UnorderedElementsAre("Attention"));
  EXPECT_THAT(Names({.op = "mat"}), IsEmpty());
  EXPECT_THAT(Names({.licence = "apache-2.0"}), UnorderedElementsAre("Attention"));
  EXPECT_THAT(Names({.licence = "MIT"}), UnorderedElementsAre("Scale"));
  EXPECT_THAT(Names({.licence = "none"}), UnorderedElementsAre("Plain"));
  EXPECT_THAT(Names({.split = "validation"}), UnorderedElementsAre("Attention"));
  EXPECT_THAT(Names({.id_prefix = scale_.row.ContentId().Hex().substr(0, 10)}),
              UnorderedElementsAre("Scale"));
  EXPECT_THAT(Names({.id_prefix = scale_.task.ContentId().Hex()}), IsEmpty());
}

TEST_F(RowQueryTest, ConditionsCombine) {
  EXPECT_THAT(Names({.origin = "net/", .op = "mul", .licence = "MIT", .split = "train"}),
              UnorderedElementsAre("Scale"));
  EXPECT_THAT(Names({.op = "matmul", .licence = "MIT"}), IsEmpty());
}

TEST_F(RowQueryTest, StopsWhenTold) {
  DatasetReader dataset = DatasetReader::Open(folder_.path()).value();
  int visited = 0;
  ASSERT_TRUE(FindRows(&dataset, {}, [&](const RowInContext&, bool* more) {
                ++visited;
                *more = false;
                return Status::Ok();
              }).ok());
  EXPECT_EQ(visited, 1);
  EXPECT_EQ(FindRows(&dataset, {.id_prefix = "nonsense"},
                     [](const RowInContext&, bool*) { return Status::Ok(); })
                .code(),
            ErrorCode::kUsage);
}

TEST_F(RowQueryTest, ARowIsShownWithItsShapesOriginAndLicence) {
  DatasetReader dataset = DatasetReader::Open(folder_.path()).value();
  ASSERT_TRUE(FindRows(&dataset, {.licence = "MIT"}, [&](const RowInContext& row, bool*) {
                const std::string text = RowText(row);
                EXPECT_THAT(text, HasSubstr(scale_.row.ContentId().Hex()));
                EXPECT_THAT(text, HasSubstr("net/scale.py:3-20 (Scale), https://example.org/a at "
                                            "cccccccccccc\n"));
                EXPECT_THAT(text, HasSubstr("MIT (nearest_file: LICENSE)"));
                EXPECT_THAT(text, HasSubstr("inputs     x (2, 8) float32"));
                EXPECT_THAT(text, HasSubstr("outputs    (2, 8) float32"));
                EXPECT_THAT(text, HasSubstr("operators  mul"));
                EXPECT_THAT(text, HasSubstr("│ The result is (2, 8) float32."));
                EXPECT_THAT(text, Not(HasSubstr("more line")));
                EXPECT_THAT(RowText(row, 2), HasSubstr("\n  │ … 4 more lines\n"));
                const std::string line = RowLine(row);
                EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
                EXPECT_THAT(line, HasSubstr("60 + 8"));
                EXPECT_THAT(line,
                            HasSubstr("(Scale), https://example.org/a at cccccccccccc; MIT\n"));
                const Json json = row.ToJson();
                EXPECT_EQ(json.Find("content_id")->as_string(), scale_.row.ContentId().Hex());
                EXPECT_EQ(json.Find("payload")->Dump(), scale_.row.payload.Dump());
                EXPECT_EQ(json.Find("inputs")->as_array().size(), 1u);
                return Status::Ok();
              }).ok());
}

TEST(RowText, HostileTextStaysOnItsLineAndOffTheTerminal) {
  DescribedModule hostile{.name = HostileName(),
                          .url = HostileName(),
                          .path = HostileName() + std::string(100'000, 'p'),
                          .spdx = HostileName(),
                          .op = HostileName(),
                          .dtype = HostileName(),
                          .answer = HostileName()};
  std::map<Digest, std::string> records;
  hostile.AddTo(&records);
  TemporaryFolder folder;
  ASSERT_TRUE(PublishSynthetic(folder.path(), records, 2).ok());
  DatasetReader dataset = DatasetReader::Open(folder.path()).value();
  int rows = 0;
  ASSERT_TRUE(FindRows(&dataset, {}, [&](const RowInContext& row, bool*) {
                const std::string text = RowText(row);
                for (const char* bad : {"\x1b", "\x07", "\xe2\x80\xae", "\xc2\x9b", "\r"}) {
                  EXPECT_THAT(text, Not(HasSubstr(bad)));
                }
                // Head lines escape line feeds; in messages a margin marks every line.
                EXPECT_THAT(text, Not(HasSubstr("\nlicense: evil")));
                EXPECT_THAT(text, HasSubstr("\n  │ license: evil"));
                EXPECT_LT(text.size(), 10'000u);
                const std::string line = RowLine(row);
                EXPECT_EQ(line.find_first_of("\x1b\x07\n"), line.size() - 1);
                ++rows;
                return Status::Ok();
              }).ok());
  EXPECT_EQ(rows, 1);
}

}  // namespace
}  // namespace kernelmill
