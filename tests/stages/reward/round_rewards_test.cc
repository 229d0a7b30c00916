#include "stages/reward/round_rewards.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

namespace kernelmill {
namespace {

RewardedTurn Turn(std::int64_t attempt, std::int64_t turn, std::optional<double> reward,
                  std::optional<double> d = std::nullopt) {
  RewardedTurn made{.task = "t",
                    .backend = "cuda",
                    .attempt = attempt,
                    .turn = turn,
                    .reward = reward,
                    .correct = reward.value_or(-1) >= 1};
  made.key = std::to_string(attempt) + "/" + std::to_string(turn);
  made.drift.d = d;
  if (!d) made.drift.problem = kLogProbsAbsent;
  return made;
}

std::vector<Json> LinesOf(const RoundRewards& rewards) {
  std::vector<Json> lines;
  std::istringstream text(rewards.lines);
  for (std::string line; std::getline(text, line);) lines.push_back(Json::Parse(line).value());
  return lines;
}

const Json& TurnOf(const Json& line, std::size_t place) {
  return line.Find("turns")->as_array().at(place);
}

RewardOptions Defaults() {
  RewardOptions options;
  options.delta = kDefaultDelta;
  return options;
}

// The trajectories of MusaCoder's equation 9, by hand: passes have no speed here.
TEST(RoundRewards, TrajectoriesHaveTheValuesOfPrimeEcho) {
  const std::vector<RewardedTurn> turns = {Turn(0, 1, 1),    Turn(1, 1, -1), Turn(1, 2, 1),
                                           Turn(2, 1, -0.2), Turn(2, 2, -1), Turn(2, 3, 1),
                                           Turn(3, 1, -1),   Turn(3, 2, -1)};
  const RoundRewards rewards = RewardsOf(turns, Defaults(), false).value();
  const std::vector<Json> lines = LinesOf(rewards);
  ASSERT_EQ(lines.size(), 4u);
  // 1 + b1; -0.75 + 0.25 + b2; 0.75 · -0.2 + 0.25; -1.
  const double expected[] = {1.2, -0.4, 0.1, -1};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(TurnOf(lines[i], 0).Find("value")->as_double(), expected[i], 1e-12) << i;
    EXPECT_TRUE(TurnOf(lines[i], 0).Find("trained")->as_bool());
    EXPECT_EQ(lines[i].IntegerAt("attempt"), static_cast<std::int64_t>(i));
    EXPECT_EQ(TurnOf(lines[i], 0).Find("mask"), nullptr);
  }
  EXPECT_FALSE(TurnOf(lines[1], 1).Find("trained")->as_bool());
  EXPECT_TRUE(TurnOf(lines[1], 1).Find("value")->is_null());
  const Json& group = rewards.summary.Find("groups")->as_array().at(0);
  EXPECT_EQ(group.IntegerAt("responses"), 4);
  EXPECT_NEAR(group.Find("mean")->as_double(), (1.2 - 0.4 + 0.1 - 1) / 4, 1e-12);
  EXPECT_TRUE(rewards.summary.Find("drift")->is_null());
}

TEST(RoundRewards, KevinValuesAndTrainsEveryTurn) {
  RewardOptions options = Defaults();
  options.multi_turn.mode = MultiTurnMode::kKevin;
  const std::vector<Json> lines =
      LinesOf(RewardsOf({Turn(0, 1, -1), Turn(0, 2, 1)}, options, false).value());
  EXPECT_NEAR(TurnOf(lines[0], 0).Find("value")->as_double(), -1 + 0.4, 1e-12);
  EXPECT_NEAR(TurnOf(lines[0], 1).Find("value")->as_double(), 1, 1e-12);
  EXPECT_TRUE(TurnOf(lines[0], 1).Find("trained")->as_bool());
}

TEST(RoundRewards, TurnsAfterAPassAndWithoutAVerdictAreSaidToBe) {
  const std::vector<Json> lines =
      LinesOf(RewardsOf({Turn(0, 1, 1), Turn(0, 2, 1), Turn(1, 1, std::nullopt), Turn(2, 2, 1)},
                        Defaults(), false)
                  .value());
  EXPECT_EQ(lines[0].IntegerAt("left_out"), 1);
  EXPECT_EQ(lines[0].Find("turns")->as_array().size(), 2u);
  EXPECT_EQ(lines[1].TextAt("problem"), "turn 1 has no reward");
  EXPECT_EQ(lines[2].TextAt("problem"), "turn 1 is missing");
}

TEST(RoundRewards, MaskedResponsesStayInTheirGroup) {
  const std::vector<RewardedTurn> turns = {Turn(0, 1, 1, 0.05), Turn(1, 1, 1, 0.5),
                                           Turn(2, 1, -1, 0.5), Turn(3, 1, -1)};
  const RoundRewards rewards = RewardsOf(turns, Defaults(), true).value();
  const std::vector<Json> lines = LinesOf(rewards);
  std::vector<std::string> states;
  for (const Json& line : lines) states.push_back(TurnOf(line, 0).Find("mask")->TextAt("state"));
  EXPECT_EQ(states, (std::vector<std::string>{"kept", "masked", "masked", "unscored"}));
  const Json& group = rewards.summary.Find("groups")->as_array().at(0);
  EXPECT_EQ(group.IntegerAt("responses"), 4);
  EXPECT_EQ(group.IntegerAt("masked"), 2);
  EXPECT_NEAR(group.Find("mean")->as_double(), (1.2 + 1.2 - 1 - 1) / 4, 1e-12);
  const Json& masked = *rewards.summary.Find("drift")->Find("masked");
  EXPECT_NEAR(masked.Find("correct_share")->as_double(), 0.5, 1e-12);
}

TEST(RoundRewards, DeltaIsCalibratedOnTheRunsOwnDrifts) {
  RewardOptions options = Defaults();
  options.calibrate = true;
  const RoundRewards rewards =
      RewardsOf({Turn(0, 1, 1, 0.1), Turn(1, 1, 1, 0.2), Turn(2, 1, 1, 0.7)}, options, true)
          .value();
  EXPECT_NEAR(rewards.summary.Find("drift")->Find("delta")->as_double(), 0.6, 1e-12);
  EXPECT_EQ(RewardsOf({Turn(0, 1, 1)}, options, true).status().code(), ErrorCode::kConfig);
}

TEST(RoundRewards, TheOrderOfSamplesDoesNotMatter) {
  std::mt19937 random(7);
  std::vector<RewardedTurn> turns;
  for (std::int64_t attempt = 0; attempt < 40; ++attempt) {
    const std::int64_t count = 1 + static_cast<std::int64_t>(random() % 4);
    for (std::int64_t turn = 1; turn <= count; ++turn) {
      turns.push_back(Turn(attempt, turn, random() % 3 == 0 ? 1.0 : -0.5,
                           static_cast<double>(random() % 100) / 400));
      turns.back().task = std::to_string(attempt % 5);
    }
  }
  const RoundRewards first = RewardsOf(turns, Defaults(), true).value();
  for (int i = 0; i < 20; ++i) {
    std::shuffle(turns.begin(), turns.end(), random);
    const RoundRewards again = RewardsOf(turns, Defaults(), true).value();
    EXPECT_EQ(again.lines, first.lines);
    EXPECT_EQ(again.summary, first.summary);
  }
}

}  // namespace
}  // namespace kernelmill
