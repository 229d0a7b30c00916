#include "stages/audit/verdict_rederive.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

std::string Line(const std::string& key, const std::string& task, const std::string& status) {
  return R"({"key":")" + key + R"(","task":")" + task + R"(","verdict":{"status":")" + status +
         "\"}}\n";
}

std::vector<AuditFinding> FindingsOf(const std::string& found, const std::string& built) {
  RederiveReport report;
  EXPECT_TRUE(CompareVerdictLines(found, built, &report).ok());
  return report.findings;
}

TEST(VerdictRederive, LinesOfTasksThatWereNotJudgedAgainAreLeftAlone) {
  const std::string built = Line("b", "2", "wrong") + R"({"key":"x","rejected":{}})" + "\n";
  EXPECT_TRUE(FindingsOf(Line("a", "1", "correct") + Line("b", "2", "wrong"), built).empty());
  const std::string rejected = R"({"key":"b","rejected":{}})"
                               "\n";
  EXPECT_TRUE(FindingsOf(rejected + Line("b", "2", "wrong"), built).empty());
}

TEST(VerdictRederive, AChangedLineIsNamed) {
  const auto findings =
      FindingsOf(Line("a", "1", "correct") + Line("b", "2", "correct") + Line("c", "2", "wrong"),
                 Line("b", "2", "wrong") + Line("c", "2", "wrong"));
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].file, "verdicts.jsonl");
  EXPECT_EQ(findings[0].record, "line 2");
  EXPECT_NE(findings[0].what.find("correct"), std::string::npos) << findings[0].what;
}

TEST(VerdictRederive, AddedAndMissingLinesAreFound) {
  const auto added =
      FindingsOf(Line("b", "2", "wrong") + Line("c", "2", "correct"), Line("b", "2", "wrong"));
  ASSERT_EQ(added.size(), 1);
  EXPECT_EQ(added[0].record, "line 2");
  const auto missing = FindingsOf(Line("a", "1", "wrong"), Line("b", "2", "wrong"));
  ASSERT_EQ(missing.size(), 1);
  EXPECT_NE(missing[0].what.find("'b' is missing"), std::string::npos) << missing[0].what;
}

}  // namespace
}  // namespace kernelmill
