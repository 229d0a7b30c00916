#include "stages/trajectories/multi_turn_reward.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "manifests/split_mix.h"
#include "tests/stages/retry/retry_samples.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;

// The reward of a turn that passed the share q of its trials, and for q = 1 is ν times as fast.
double Reward(double q, double nu = 1) {
  const SpeedTerm speed;
  if (q == 1) return *TurnReward(Correct(), nu, speed);
  return q == 0 ? -1 : -0.5 + 0.5 * q;
}

std::vector<ScoredTurn> Turns(const std::vector<std::optional<double>>& rewards) {
  std::vector<ScoredTurn> turns;
  for (const std::optional<double>& reward : rewards) {
    turns.push_back({static_cast<std::int64_t>(turns.size()) + 1, reward});
  }
  return turns;
}

std::optional<double> PrimeEcho(const std::vector<std::optional<double>>& rewards) {
  return PrimeEchoCredit(Turns(rewards), {}).turns.at(0).value;
}

TEST(TurnReward, IsEquationTwo) {
  const SpeedTerm speed;
  EXPECT_EQ(TurnReward(NotBuilt(), std::nullopt, speed), -1.0);
  EXPECT_EQ(TurnReward(Wrong(0), 5.0, speed), -1.0);
  EXPECT_EQ(TurnReward(Wrong(3), 5.0, speed), -0.125);
  EXPECT_EQ(TurnReward(Undecided(), 5.0, speed), std::nullopt);
  EXPECT_EQ(TurnReward(Illegal("fallback"), 5.0, speed), -1.0);
  EXPECT_EQ(TurnReward(Correct(), 0.5, speed), 1.0);
  EXPECT_DOUBLE_EQ(*TurnReward(Correct(), 1.4, speed), 1.2);
  EXPECT_EQ(TurnReward(Correct(), 3.0, speed), 2.0);
  EXPECT_EQ(TurnReward(Correct(), 100.0, speed), 2.0);
  // An unknown time is not guessed.
  for (const std::optional<double> unknown :
       {std::optional<double>(), std::optional<double>(NAN), std::optional<double>(-1),
        std::optional<double>(0)}) {
    EXPECT_EQ(TurnReward(Correct(), unknown, speed), 1.0);
  }
}

// By hand, from MusaCoder's equation 9.
TEST(PrimeEcho, EqualsTheWorkedExamples) {
  EXPECT_NEAR(*PrimeEcho({Reward(1, 1.4)}), 1.40, 1e-12);
  EXPECT_NEAR(*PrimeEcho({-1, Reward(1, 1)}), -0.40, 1e-12);
  EXPECT_NEAR(*PrimeEcho({Reward(0.6), -1, Reward(1, 3.8)}), 0.35, 1e-12);
  EXPECT_NEAR(*PrimeEcho({-1, -1, -1}), -1, 1e-12);
}

TEST(PrimeEcho, StopsAtTheFirstPassAndAfterThreeTurns) {
  EXPECT_NEAR(*PrimeEcho({Reward(1, 1.4), 2, 2}), 1.40, 1e-12);
  EXPECT_NEAR(*PrimeEcho({-1, -1, -1, 2}), -1, 1e-12);
  const TrajectoryCredit credit = PrimeEchoCredit(Turns({-1, 1, 2}), {});
  EXPECT_EQ(credit.left_out, 1);
  ASSERT_EQ(credit.turns.size(), 2u);
  EXPECT_TRUE(credit.turns[0].trained);  // The loss is on the first response only.
  EXPECT_FALSE(credit.turns[1].trained);
  EXPECT_EQ(credit.turns[1].value, std::nullopt);
}

TEST(PrimeEcho, PutsNothingInThePlaceOfAMissingReward) {
  const auto problem = [](const std::vector<ScoredTurn>& turns) {
    const TrajectoryCredit credit = PrimeEchoCredit(turns, {});
    for (const TurnCredit& turn : credit.turns) EXPECT_EQ(turn.value, std::nullopt);
    return credit.problem;
  };
  EXPECT_EQ(problem(Turns({std::nullopt, 1})), "turn 1 has no reward");
  EXPECT_EQ(problem(Turns({-1, std::nullopt, 1})), "turn 2 has no reward");
  EXPECT_EQ(problem({{1, -1}, {3, 1}}), "turn 2 is missing");
  EXPECT_EQ(problem({{2, -1}, {3, 1}}), "turn 1 is missing");
  EXPECT_EQ(problem({{1, -1}, {1, 1}}), "turn 1 occurs twice");
  EXPECT_EQ(problem({}), "it has no turn");
  EXPECT_EQ(problem({{1, 1}, {1, -1}}), "turn 1 occurs twice");
  // What comes after the pass, or the limit, is not asked for.
  EXPECT_NEAR(*PrimeEcho({1, std::nullopt}), 1.2, 1e-12);
  EXPECT_NEAR(*PrimeEchoCredit({{1, 1}, {3, 1}}, {}).turns[0].value, 1.2, 1e-12);
  EXPECT_NEAR(*PrimeEchoCredit({{1, -1}, {2, -1}, {3, -1}, {5, 1}}, {}).turns[0].value, -1, 1e-12);
}

TEST(PrimeEcho, RefusesSettingsUnderWhichFailingFirstPays) {
  const PrimeEchoOptions options;
  EXPECT_TRUE(options.Check({}).ok());
  // (2 · 0.75 + 0.2 − 0.1) / 0.25 = 6.4.
  EXPECT_TRUE(options.Check({.lambda = 1, .nu_max = 6.39}).ok());
  const Status refused = options.Check({.lambda = 2, .nu_max = 3.21});
  EXPECT_EQ(refused.code(), ErrorCode::kConfig);
  EXPECT_THAT(refused.message(), HasSubstr("6.4"));
  PrimeEchoOptions exact = {.alpha = 0.5, .b1 = 0.5, .b2 = 0.25};  // The bound is 2.5.
  EXPECT_FALSE(exact.Check({.lambda = 1, .nu_max = 2.5}).ok());
  EXPECT_TRUE(exact.Check({.lambda = 1, .nu_max = 2.4375}).ok());
  for (const PrimeEchoOptions& bad :
       {PrimeEchoOptions{.alpha = 1}, PrimeEchoOptions{.alpha = -0.1},
        PrimeEchoOptions{.alpha = NAN}, PrimeEchoOptions{.b1 = 0.1, .b2 = 0.1},
        PrimeEchoOptions{.b2 = -1}, PrimeEchoOptions{.max_turns = 0}}) {
    EXPECT_EQ(bad.Check({}).code(), ErrorCode::kConfig);
  }
  EXPECT_FALSE(options.Check({.lambda = -1}).ok());
  EXPECT_FALSE(options.Check({.nu_max = INFINITY}).ok());
}

// Under every accepted setting, passing at once at any speed is worth more than failing outright
// first; at the bound itself it no longer is.
TEST(PrimeEcho, FailingFirstNeverPays) {
  std::uint64_t state = 1;
  const auto number = [&] { return static_cast<double>(NextMixedBits(&state) >> 11) * 0x1p-53; };
  int accepted = 0, refused = 0;
  for (int i = 0; i < 10000; ++i) {
    PrimeEchoOptions options = {.alpha = number() * 0.95, .b1 = number()};
    options.b2 = options.b1 * number() * 0.99;
    const SpeedTerm speed = {.lambda = 2 * number(), .nu_max = 5 * number()};
    const double fastest = 1 + speed.Largest();
    const double honest = *PrimeEchoCredit(Turns({1}), options).turns[0].value;
    const double second = *PrimeEchoCredit(Turns({-1, fastest}), options).turns[0].value;
    const double third = *PrimeEchoCredit(Turns({-1, -1, fastest}), options).turns[0].value;
    if (options.Check(speed).ok()) {
      ++accepted;
      EXPECT_GT(honest, second - 1e-9);
      EXPECT_GT(honest, third - 1e-9);
    } else {
      ++refused;
      EXPECT_LE(honest, second + 1e-9);
    }
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(refused, 100);
}

TEST(Kevin, DiscountsLaterTurns) {
  const TrajectoryCredit credit = DiscountedCredit(Turns({-1, Reward(0.6), Reward(1, 1.4)}), {});
  ASSERT_EQ(credit.turns.size(), 3u);
  // By hand: 1.2; −0.2 + 0.4 · 1.2 = 0.28; −1 + 0.4 · 0.28 = −0.888.
  EXPECT_NEAR(*credit.turns[2].value, 1.2, 1e-12);
  EXPECT_NEAR(*credit.turns[1].value, 0.28, 1e-12);
  EXPECT_NEAR(*credit.turns[0].value, -0.888, 1e-12);
  for (const TurnCredit& turn : credit.turns) EXPECT_TRUE(turn.trained);
  // It goes on after a pass.
  EXPECT_NEAR(*DiscountedCredit(Turns({1, 2}), {}).turns[0].value, 1.8, 1e-12);
  EXPECT_EQ(DiscountedCredit(Turns({1, 2, 1, 1}), {}).left_out, 1);
}

TEST(Kevin, ATurnWithoutARewardLeavesThoseBeforeItOpen) {
  const TrajectoryCredit credit = DiscountedCredit(Turns({-1, std::nullopt, 1}), {});
  EXPECT_EQ(credit.turns[0].value, std::nullopt);
  EXPECT_EQ(credit.turns[1].value, std::nullopt);
  EXPECT_EQ(credit.turns[2].value, 1.0);
  EXPECT_EQ(credit.problem, "turn 2 has no reward");
  EXPECT_EQ(DiscountedCredit({{1, 1}, {3, 1}}, {}).turns[0].value, std::nullopt);
}

TEST(MultiTurnMode, IsChosenByName) {
  MultiTurnOptions options;
  const std::vector<ScoredTurn> turns = Turns({-1, 1});
  EXPECT_NEAR(*MultiTurnCredit(turns, options).turns[0].value, -0.4, 1e-12);
  options.mode = MultiTurnModeNamed("kevin").value();
  EXPECT_NEAR(*MultiTurnCredit(turns, options).turns[0].value, -0.6, 1e-12);
  for (const MultiTurnMode mode : {MultiTurnMode::kPrimeEcho, MultiTurnMode::kKevin}) {
    EXPECT_EQ(MultiTurnModeNamed(MultiTurnModeName(mode)).value(), mode);
  }
  EXPECT_EQ(MultiTurnModeNamed("echo").status().code(), ErrorCode::kConfig);
  // Only the settings of the mode are checked.
  options.prime_echo.alpha = 2;
  EXPECT_TRUE(options.Check().ok());
  options.kevin.gamma = 2;
  EXPECT_FALSE(options.Check().ok());
  EXPECT_EQ(options.ToJson().TextAt("mode"), "kevin");
  EXPECT_EQ(MultiTurnCredit(turns, MultiTurnOptions()).ToJson().Dump(),
            R"({"left_out":0,"problem":"","turns":[{"trained":true,"turn":1,"value":-0.4},)"
            R"({"trained":false,"turn":2,"value":null}]})");
}

}  // namespace
}  // namespace kernelmill
