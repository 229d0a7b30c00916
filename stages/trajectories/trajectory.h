// Trajectories, which are the samples of one attempt at a task on one backend, turn by turn, and
// what they are worth for training.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manifests/json.h"

namespace kernelmill {

// One turn of a trajectory after it was judged.
struct ScoredTurn {
  std::int64_t turn = 1;         // Counts from 1.
  std::optional<double> reward;  // TurnReward(); nothing if the verdict does not say.
};

// What a turn is worth for training.
struct TurnCredit {
  std::int64_t turn = 1;
  std::optional<double> value;  // The reward that the policy is trained with; nothing if unknown.
  bool trained = false;         // Whether the policy loss is on the response of this turn.
};

// What a trajectory is worth, whatever the mode (multi_turn_reward.h).
struct TrajectoryCredit {
  std::vector<TurnCredit> turns;  // Those that count, in order.
  std::int64_t left_out = 0;      // Turns after the limit, or after the first pass.
  std::string problem;  // A clause: why there is no value at all or in some turns; "" if there is.

  Json ToJson() const;
};

// A clause on why `turns`, which are in order, are no trajectory: "turn 2 is missing", "turn 1
// occurs twice". "" if they are 1, 2, 3, …
std::string TurnProblem(const std::vector<ScoredTurn>& turns);

}  // namespace kernelmill
