#include "stages/drift/reward_group.h"

#include <cmath>

namespace kernelmill {

RewardGroup RewardGroupOf(const std::vector<MaskedResponse>& responses) {
  RewardGroup group;
  double sum = 0;
  for (const MaskedResponse& response : responses) {
    ++group.responses;
    if (!response.reward) continue;
    ++group.rewarded;
    group.masked += response.mask.state == MaskState::kMasked ? 1 : 0;
    sum += *response.reward;
  }
  if (group.rewarded == 0) return group;
  const auto count = static_cast<double>(group.rewarded);
  group.mean = sum / count;
  double squares = 0;
  for (const MaskedResponse& response : responses) {
    if (response.reward)
      squares += (*response.reward - *group.mean) * (*response.reward - *group.mean);
  }
  group.deviation = std::sqrt(squares / count);
  return group;
}

}  // namespace kernelmill
