// The settings of the phase "reward": how trajectories are rewarded (PrimeEcho or Kevin) and which
// responses the drift of the policy masks (MirrorPop).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manifests/config.h"
#include "stages/drift/token_drift.h"
#include "stages/trajectories/multi_turn_reward.h"

namespace kernelmill {

// How log-probs were computed, where their file does not say.
struct LogProbConditions {
  std::optional<double> temperature;
  std::optional<LogProbMode> mode;
};

struct RewardOptions {
  MultiTurnOptions multi_turn;
  // The file with the log-probs of the policy that is trained; "" when no response is masked.
  std::string policy_log_probs;
  LogProbConditions rollout, policy;
  double delta = 0;
  bool calibrate = false;  // In place of delta, CalibratedDelta() of the run's own responses.

  static Result<RewardOptions> Of(const Config& config);
  // What the rewards depend on, but for the contents of the file.
  Json ToJson() const;
};

std::vector<ConfigKey> RewardKeys();
inline constexpr char kPolicyLogProbsKey[] = "reward.policy_log_probs";

}  // namespace kernelmill
