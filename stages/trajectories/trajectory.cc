#include "stages/trajectories/trajectory.h"

#include <utility>

namespace kernelmill {

std::string TurnProblem(const std::vector<ScoredTurn>& turns) {
  std::int64_t expected = 1;
  for (const ScoredTurn& turn : turns) {
    if (turn.turn < expected) return "turn " + std::to_string(turn.turn) + " occurs twice";
    if (turn.turn > expected) return "turn " + std::to_string(expected) + " is missing";
    ++expected;
  }
  return turns.empty() ? "it has no turn" : "";
}

Json TrajectoryCredit::ToJson() const {
  Json::Array array;
  for (const TurnCredit& turn : turns) {
    array.push_back(Json::Object{{"turn", turn.turn},
                                 {"value", turn.value ? Json(*turn.value) : Json()},
                                 {"trained", turn.trained}});
  }
  return Json::Object{{"turns", std::move(array)}, {"left_out", left_out}, {"problem", problem}};
}

}  // namespace kernelmill
