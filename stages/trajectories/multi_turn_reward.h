// The two ways to reward conversations of several turns, and their settings.
#pragma once

#include <string_view>

#include "stages/trajectories/discounted_return.h"
#include "stages/trajectories/prime_echo.h"

namespace kernelmill {

enum class MultiTurnMode {
  kPrimeEcho,  // "prime_echo": one reward for the first response (prime_echo.h).
  kKevin,      // "kevin": a discounted sum for every response (discounted_return.h).
};

std::string_view MultiTurnModeName(MultiTurnMode mode);
// kConfig with the known names for an unknown one.
Result<MultiTurnMode> MultiTurnModeNamed(std::string_view name);

struct MultiTurnOptions {
  MultiTurnMode mode = MultiTurnMode::kPrimeEcho;
  SpeedTerm speed;
  PrimeEchoOptions prime_echo;
  DiscountOptions kevin;

  // kConfig for settings of the mode, or of the performance term, that do not fit.
  Status Check() const;
  // The settings that the rewards depend on: for the parameters of a plan and for reports.
  Json ToJson() const;
};

// The credit of a trajectory in the mode. `turns` are in order, with rewards by TurnReward() under
// `options.speed`. Requires options.Check(). Pure, and for any thread.
TrajectoryCredit MultiTurnCredit(const std::vector<ScoredTurn>& turns,
                                 const MultiTurnOptions& options);

}  // namespace kernelmill
