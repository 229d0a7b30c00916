#include "stages/trajectories/turn_reward.h"

#include <algorithm>
#include <cmath>

namespace kernelmill {

Status SpeedTerm::Check() const {
  if (std::isfinite(lambda) && lambda >= 0 && std::isfinite(nu_max) && nu_max >= 0) {
    return Status::Ok();
  }
  return Status(ErrorCode::kConfig,
                "lambda and nu_max of the term for speed must be finite and at least 0");
}

std::optional<double> TurnReward(const Verdict& verdict, std::optional<double> speedup,
                                 const SpeedTerm& speed) {
  const std::optional<double> correctness = verdict.Reward();
  const bool timed = speedup && std::isfinite(*speedup) && *speedup > 0;
  if (!correctness || !IsPass(*correctness) || !timed) return correctness;
  return *correctness + speed.lambda * std::min(std::max(*speedup - 1, 0.0), speed.nu_max);
}

}  // namespace kernelmill
