// The reward of each turn as the discounted sum of its own and all later rewards, as Kevin is
// trained (Baronio et al.: "Kevin: Multi-Turn RL for Generating CUDA Kernels", arXiv 2507.11948):
//
//   R_t = Σ_{k ≥ t} γ^(k − t) · s_k
//
// Every response is trained with its R_t. A conversation goes on after a pass, to become faster.
#pragma once

#include "stages/trajectories/trajectory.h"

namespace kernelmill {

struct DiscountOptions {
  double gamma = 0.4;          // Kevin's.
  std::int64_t max_turns = 3;  // Ours, as that of PrimeEcho.

  // kConfig unless 0 ≤ γ ≤ 1 and there is a turn.
  Status Check() const;
  Json ToJson() const;
};

// A value for every turn up to the limit; later ones are left out. `turns` are in order. A turn
// without a reward leaves itself and all turns before it without a value, and the problem says so;
// where a turn is missing or occurs twice, no turn has one. Pure.
TrajectoryCredit DiscountedCredit(const std::vector<ScoredTurn>& turns,
                                  const DiscountOptions& options);

}  // namespace kernelmill
