#include "corpora/records/verdict.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

TEST(VerdictReasons, OfWhatWasNotComparedSayNothingAboutTheCandidate) {
  Verdict verdict;
  verdict.status = VerdictStatus::kUndecided;
  for (const std::string_view reason : {kNotSanitized, kNotCompared}) {
    verdict.reason = reason;
    EXPECT_NE(ExplainVerdictReason(verdict.status, reason), "");
    EXPECT_EQ(verdict.Reward(), std::nullopt);
  }
}

}  // namespace
}  // namespace kernelmill
