#include "stages/trajectories/discounted_return.h"

#include <string>

namespace kernelmill {

Status DiscountOptions::Check() const {
  if (!(gamma >= 0 && gamma <= 1)) {
    return Status(ErrorCode::kConfig, "reward.gamma must be between 0 and 1");
  }
  if (max_turns < 1) return Status(ErrorCode::kConfig, "reward.max_turns must be at least 1");
  return Status::Ok();
}

Json DiscountOptions::ToJson() const {
  return Json::Object{{"gamma", gamma}, {"max_turns", max_turns}};
}

TrajectoryCredit DiscountedCredit(const std::vector<ScoredTurn>& turns,
                                  const DiscountOptions& options) {
  TrajectoryCredit credit;
  credit.problem = TurnProblem(turns);
  for (const ScoredTurn& turn : turns) {
    if (turn.turn > options.max_turns) {
      ++credit.left_out;
    } else {
      credit.turns.push_back({turn.turn, turn.reward, true});
    }
  }
  if (!credit.problem.empty()) {
    for (TurnCredit& turn : credit.turns) turn.value.reset();
    return credit;
  }
  std::optional<double> later = 0;
  for (std::size_t i = credit.turns.size(); i-- > 0;) {
    std::optional<double>& value = credit.turns[i].value;
    if (!value) credit.problem = "turn " + std::to_string(i + 1) + " has no reward";
    value = value && later ? std::optional(*value + options.gamma * *later) : std::nullopt;
    later = value;
  }
  return credit;
}

}  // namespace kernelmill
