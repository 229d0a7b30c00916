#include "stages/pack/trainers/trained_turn.h"

#include <gmock/gmock.h>

#include "stages/pack/trainers/row_copies.h"
#include "tests/stages/pack/trainers/trainer_dataset.h"

namespace kernelmill {
namespace {

Row RowOf(std::string answer, std::string_view reasoning) {
  DescribedModule module;
  std::map<Digest, std::string> records;
  module.AddTo(&records);
  return Row::Of(RowWith(module.row, Family::kTranslate,
                         {{"user", "Q"}, {"assistant", std::move(answer)}}, reasoning, 1))
      .value();
}

TEST(TrainedTurn, TheReasoningIsWhatStandsBeforeTheLastBlock) {
  const std::string plan = "Plan:\n\n```text\na table\n```\n\nand so on";
  const std::string answer = plan + "\n\n" + kAnswerCode;
  const Row row = RowOf(answer, kReasoningPlan);
  const TrainedTurn turn = TrainedTurn::Of(row);
  EXPECT_EQ(turn.reasoning, plan);
  EXPECT_EQ(turn.content, kAnswerCode);
  EXPECT_EQ(turn.Plain(), answer);
  EXPECT_EQ(turn.Thinking(), "<think>\n" + plan + "\n</think>\n\n" + kAnswerCode);
}

TEST(TrainedTurn, AnAnswerWithoutReasoningIsContent) {
  for (const auto& [answer, reasoning] : std::vector<std::pair<std::string, std::string_view>>{
           {kAnswerCode, kReasoningPlan},                                    // Nothing before it.
           {"A review.\n\n" + std::string(kAnswerCode), kReasoningNone},     // Text of its own.
           {std::string(kAnswerCode) + "\nA last remark.", kReasoningPlan},  // No code at its end.
           {"Only words.", kReasoningFull}}) {
    const Row row = RowOf(answer, reasoning);
    const TrainedTurn turn = TrainedTurn::Of(row);
    EXPECT_EQ(turn.reasoning, "");
    EXPECT_EQ(turn.content, answer);
    EXPECT_EQ(turn.Thinking(), answer);
    EXPECT_EQ(turn.Plain(), answer);
  }
}

TEST(TrainedTurn, AModelsOwnThinkBlockIsReasoning) {
  const Row row = RowOf("<think>\nHm.\n</think>\n\n" + std::string(kAnswerCode), kReasoningFull);
  const TrainedTurn turn = TrainedTurn::Of(row);
  EXPECT_EQ(turn.reasoning, "Hm.");
  EXPECT_EQ(turn.content, kAnswerCode);
}

TEST(FoldedTurns, EarlierTurnsStandInTheQuestion) {
  const std::vector<Message> folded = FoldedTurns(
      {{"system", "S"}, {"user", "Q"}, {"assistant", "wrong"}, {"user", "Line 3 is wrong."}});
  ASSERT_EQ(folded.size(), 2u);
  EXPECT_EQ(folded[0], (Message{"system", "S"}));
  EXPECT_EQ(folded[1].role, "user");
  EXPECT_THAT(folded[1].content, testing::StartsWith("Q\n\n"));
  EXPECT_THAT(folded[1].content, testing::HasSubstr("\n\nwrong\n\n"));
  EXPECT_THAT(folded[1].content, testing::EndsWith("\n\nLine 3 is wrong."));
  const std::vector<Message> one = {{"system", "S"}, {"user", "Q"}};
  EXPECT_EQ(FoldedTurns(one), one);
}

TEST(CopiesOf, TheirMeanIsTheWeight) {
  for (double weight : {0.0, 0.1, 1.0, 2.75}) {
    std::int64_t copies = 0;
    constexpr std::int64_t kSeeds = 4000;
    for (std::int64_t seed = 0; seed < kSeeds; ++seed) {
      const std::int64_t some = CopiesOf(DigestOf("a row"), weight, seed);
      EXPECT_LE(std::abs(static_cast<double>(some) - weight), 1);
      EXPECT_EQ(some, CopiesOf(DigestOf("a row"), weight, seed));
      copies += some;
    }
    EXPECT_NEAR(static_cast<double>(copies) / kSeeds, weight, 0.03);
  }
}

}  // namespace
}  // namespace kernelmill
