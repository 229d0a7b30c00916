#include "stages/trajectories/prime_echo.h"

#include <algorithm>
#include <string>
namespace kernelmill {

Status PrimeEchoOptions::Check(const SpeedTerm& speed) const {
  KM_RETURN_IF_ERROR(speed.Check());
  // The negations refuse NaN too.
  if (!(alpha >= 0 && alpha < 1)) {
    return Status(ErrorCode::kConfig, "reward.alpha must be at least 0 and below 1");
  }
  if (!(b2 >= 0 && b2 < b1 && b1 <= 1)) {
    return Status(ErrorCode::kConfig, "reward.b1 and reward.b2 must fit 0 ≤ b2 < b1 ≤ 1");
  }
  if (max_turns < 1) return Status(ErrorCode::kConfig, "reward.max_turns must be at least 1");
  const double bound = (2 * alpha + b1 - b2) / (1 - alpha);
  if (speed.Largest() < bound) return Status::Ok();
  return Status(ErrorCode::kConfig,
                "with these reward.alpha, b1 and b2 it can pay to fail the first turn on purpose: "
                "(2 alpha + b1 - b2) / (1 - alpha) is " +
                    Json(bound).Dump() + ", and must be above the largest term for speed, " +
                    Json(speed.Largest()).Dump() + "; raise alpha");
}

Json PrimeEchoOptions::ToJson() const {
  return Json::Object{{"alpha", alpha}, {"b1", b1}, {"b2", b2}, {"max_turns", max_turns}};
}

TrajectoryCredit PrimeEchoCredit(const std::vector<ScoredTurn>& turns,
                                 const PrimeEchoOptions& options) {
  TrajectoryCredit credit;
  std::vector<ScoredTurn> counted;
  std::optional<double> best, early;
  for (const ScoredTurn& turn : turns) {
    const bool again = !counted.empty() && turn.turn == counted.back().turn;
    if (early || turn.turn > options.max_turns) {
      ++credit.left_out;
      if (again) counted.push_back(turn);  // Nobody knows which of the two decided.
      continue;
    }
    credit.turns.push_back({turn.turn, std::nullopt, turn.turn == 1});
    counted.push_back(turn);
    if (!turn.reward) {
      if (credit.problem.empty()) {
        credit.problem = "turn " + std::to_string(turn.turn) + " has no reward";
      }
      continue;
    }
    best = std::max(best.value_or(*turn.reward), *turn.reward);
    if (IsPass(*turn.reward)) early = turn.turn == 1 ? options.b1 : turn.turn == 2 ? options.b2 : 0;
  }
  // A turn that is missing after those that count does not matter.
  if (std::string problem = TurnProblem(counted); !problem.empty()) credit.problem = problem;
  if (credit.problem.empty()) {
    credit.turns[0].value =
        options.alpha * *turns[0].reward + (1 - options.alpha) * *best + early.value_or(0);
  }
  return credit;
}

}  // namespace kernelmill
