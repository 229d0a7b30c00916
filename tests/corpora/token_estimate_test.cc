#include "corpora/token_estimate.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

TEST(TokenEstimate, CodeAndProseHaveTheirOwnRates) {
  EXPECT_EQ(EstimateTokens(""), 0);
  EXPECT_EQ(EstimateTokens(std::string(4100, 'p')), 1000);
  EXPECT_EQ(EstimateTokens("```\n" + std::string(3100 - 8, 'c') + "\n```"), 1000);
  // Code and prose in one text: the closing fence ends the code.
  EXPECT_EQ(
      EstimateTokens("```\n" + std::string(3100 - 9, 'c') + "\n```\n" + std::string(4100, 'p')),
      2000);
}

TEST(TokenEstimate, AnInnerFenceDoesNotEndALongerOne) {
  const std::string inner = "````\n```\n" + std::string(6200 - 18, 'c') + "\n```\n````";
  EXPECT_EQ(EstimateTokens(inner), 2000);
}

TEST(TokenEstimate, TheLastMessageIsTheAnswer) {
  TrainingRecord record;
  record.messages = {{"system", std::string(410, 'a')},
                     {"user", std::string(820, 'b')},
                     {"assistant", std::string(4100, 'c')}};
  const TokenEstimate estimate = EstimateTokens(record);
  EXPECT_EQ(estimate.prompt, 300);
  EXPECT_EQ(estimate.answer, 1000);
}

}  // namespace
}  // namespace kernelmill
