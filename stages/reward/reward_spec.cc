#include "stages/reward/reward_spec.h"

#include "stages/reward/reward_options.h"

namespace kernelmill {

StepSpec RewardSpec() {
  return {
      .name = "reward",
      .takes = "trajectories",
      .does = "each is rewarded, and responses that the policy has drifted away from are masked",
      .reads = {"join", "verify"},
      .keys = RewardKeys,
      .validate = [](const Config& config) { return RewardOptions::Of(config).status(); }};
}

}  // namespace kernelmill
