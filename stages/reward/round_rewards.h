// What the samples of a round are worth for training on rewards: the trajectories with the reward
// of each turn, its value in the mode (stages/trajectories/multi_turn_reward.h) and its mask
// (stages/drift/drift_mask.h), and the statistics of the groups that advantages are computed from.
// Masked responses stay in these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stages/drift/drift_report.h"
#include "stages/reward/reward_options.h"

namespace kernelmill {

// A judged sample, one turn of a trajectory.
struct RewardedTurn {
  std::string task, backend;
  std::int64_t attempt = 0, turn = 1;
  std::string key;               // JoinedSample::key, which verdicts.jsonl has too.
  std::optional<double> reward;  // TurnReward().
  bool correct = false;
  TokenDrift drift;

  // {"turn", "key", "reward"}, and what `credit` says: "value", "trained".
  Json ToJson(const TurnCredit& credit) const;
};

struct RoundRewards {
  std::string lines;  // rewards.jsonl: one line for each trajectory, by task, backend, attempt.
  Json summary;       // rewards.json.
};

// `turns` may come in any order. With `masks`, lines and summary have masks. The group of a task
// and backend are the responses that are trained: with prime_echo the first ones, with kevin all
// (ours: they have one prompt only up to the turn). kConfig when no drift is known to calibrate on.
// Pure.
Result<RoundRewards> RewardsOf(std::vector<RewardedTurn> turns, const RewardOptions& options,
                               bool masks);

}  // namespace kernelmill
