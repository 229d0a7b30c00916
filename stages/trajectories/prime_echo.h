// PrimeEcho, the reward of a whole conversation for its first response: equation 9 of MusaCoder
// (arXiv 2606.04847).
//
//   R = α · s_1 + (1 − α) · max_k s_k + b_early
//
// s_k is the reward of turn k (turn_reward.h). A conversation ends at its first pass, and after
// max_turns. b_early is b1 when turn 1 passes, b2 when turn 2 is the first to pass, and otherwise
// 0. The policy loss is on the first response only.
#pragma once

#include "stages/trajectories/trajectory.h"
#include "stages/trajectories/turn_reward.h"

namespace kernelmill {

struct PrimeEchoOptions {
  double alpha = 0.75;
  // Ours: the paper says only that b2 < b1.
  double b1 = 0.2, b2 = 0.1;
  std::int64_t max_turns = 3;

  // kConfig unless 0 ≤ α < 1, 0 ≤ b2 < b1, there is a turn, and
  //
  //   λ · ν_max < (2α + b1 − b2) / (1 − α).
  //
  // From there on it can pay to fail turn 1 on purpose (ours): −1 and then the fastest answer,
  // −α + (1 − α)(1 + λ ν_max) + b2, would be worth as much as passing at once, 1 + b1. For failing
  // turn 1 by one trial only, where s_1 is nearly 0, the same holds from (α + b1 − b2) / (1 − α)
  // on, which is not refused; the defaults, with λ ν_max = 1, are far below both, 6.4 and 3.4.
  Status Check(const SpeedTerm& speed) const;
  Json ToJson() const;
};

// R is the value of turn 1; the other turns have none. `turns` are in order; those after the first
// pass or the limit are left out. There is no R, and a problem, when a turn that counts has no
// reward, is missing or occurs twice: nothing is put in its place. Pure.
TrajectoryCredit PrimeEchoCredit(const std::vector<ScoredTurn>& turns,
                                 const PrimeEchoOptions& options);

}  // namespace kernelmill
