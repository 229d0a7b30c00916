#include "corpora/records/verdict.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

TEST(RequireSanitized, OnlyWhatWasCheckedToTheEndIsRight) {
  Verdict right;
  right.status = VerdictStatus::kCorrect;
  Verdict verdict = right;
  verdict.RequireSanitized();
  EXPECT_EQ(verdict.status, VerdictStatus::kCorrect);
  verdict.findings.push_back({std::string(kNotSanitized), "", 0, "time_limit"});
  verdict.RequireSanitized();
  EXPECT_EQ(verdict.status, VerdictStatus::kUndecided);
  EXPECT_FALSE(ExplainVerdictReason(verdict.status, verdict.reason).empty());
  // An earlier finding is kept.
  Verdict wrong = verdict;
  wrong.status = VerdictStatus::kWrong;
  wrong.reason = "values";
  wrong.RequireSanitized();
  EXPECT_EQ(wrong.status, VerdictStatus::kWrong);
  EXPECT_EQ(wrong.reason, "values");
}

}  // namespace
}  // namespace kernelmill
