#include "stages/verify/run/verify_run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "manifests/commit_file.h"
#include "manifests/json_bytes.h"
#include "tests/stages/pack/synthetic_dataset.h"

namespace kernelmill {
namespace {

// Candidates without code, which need no compiler, for two tasks in turn, and some malformed lines.
std::vector<VerifyItem> Items(std::size_t count) {
  const auto first = std::make_shared<const std::string>("first task");
  const auto second = std::make_shared<const std::string>("second task");
  std::vector<VerifyItem> items;
  for (std::size_t i = 0; i < count; ++i) {
    VerifyItem item;
    item.key = "item " + std::to_string(i);
    item.reference = i % 2 == 0 ? first : second;
    item.read_code = [] { return Result<std::optional<std::string>>(std::nullopt); };
    if (i % 10 == 3) {
      item.reference = nullptr;
      item.problem = "list:" + std::to_string(i) + ": it is not a JSON object";
      item.read_code = [i] {
        return Result<std::optional<std::string>>(std::string(i == 3 ? "\xFFx" : "[]"));
      };
    }
    items.push_back(std::move(item));
  }
  return items;
}

class VerifyRunTest : public testing::Test {
 protected:
  VerifySummary Verify(const std::vector<VerifyItem>& items, bool fresh = false) {
    lines_.clear();
    const Result<VerifySummary> summary = VerifyCandidates(
        items, {.output = folder_.path(), .judging = {}, .list = "", .jobs = 2, .fresh = fresh},
        &lines_);
    EXPECT_TRUE(summary.ok()) << summary.status().message();
    return summary.ok() ? *summary : VerifySummary();
  }
  std::string Verdicts() const { return *ReadFile(folder_.path() + "/verdicts.jsonl"); }

  TemporaryFolder folder_;
  std::vector<VerdictLine> lines_;
};

TEST_F(VerifyRunTest, HasALineForEachItemInTheirOrder) {
  ASSERT_TRUE(ReplaceFile(folder_.path() + "/of_others.txt", "stays").ok());
  const std::vector<VerifyItem> items = Items(40);
  const VerifySummary summary = Verify(items, /*fresh=*/true);
  EXPECT_EQ(summary.judged, 36);
  EXPECT_EQ(summary.reused, 0);
  EXPECT_EQ(summary.rejected, 4);
  EXPECT_EQ(summary.counts.at("no_answer no_code"), 36);
  ASSERT_EQ(lines_.size(), items.size());
  std::istringstream text(Verdicts());
  for (const VerifyItem& item : items) {
    std::string line;
    ASSERT_TRUE(std::getline(text, line));
    const Result<Json> json = Json::Parse(line);
    ASSERT_TRUE(json.ok());
    EXPECT_EQ(json->TextAt("key"), item.key);
    const Json* const rejected = json->Find("rejected");
    ASSERT_EQ(rejected != nullptr, !item.problem.empty());
    if (rejected == nullptr) continue;
    EXPECT_EQ(rejected->TextAt("problem"), item.problem);
    EXPECT_EQ(*BytesOfJson(*rejected), **item.read_code());
  }

  // Nothing is judged again, and external changes of the file are undone.
  const std::string whole = Verdicts();
  ASSERT_TRUE(ReplaceFile(folder_.path() + "/verdicts.jsonl", whole.substr(7)).ok());
  const VerifySummary again = Verify(items);
  EXPECT_EQ(again.judged, 0);
  EXPECT_EQ(again.reused, 36);
  EXPECT_EQ(Verdicts(), whole);

  // Other items are another run, but the verdict store has the earlier verdicts.
  const VerifySummary more = Verify(Items(45));
  EXPECT_EQ(more.judged + more.reused, 40);
  EXPECT_EQ(more.judged, 0);
  EXPECT_EQ(Verdicts().substr(0, whole.size()), whole);
  EXPECT_EQ(*ReadFile(folder_.path() + "/of_others.txt"), "stays");
}

}  // namespace
}  // namespace kernelmill
