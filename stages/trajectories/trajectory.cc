#include "stages/trajectories/trajectory.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace kernelmill {

std::vector<Trajectory> TrajectoriesOf(const std::vector<ModelSample>& samples) {
  std::vector<Trajectory> trajectories;
  std::map<std::tuple<std::string, const KernelBackend*, std::int64_t>, std::size_t> places;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const ModelSample& sample = samples[i];
    std::size_t place = trajectories.size();
    if (sample.attempt) {
      place =
          places.try_emplace({sample.task, sample.backend, *sample.attempt}, place).first->second;
    }
    if (place == trajectories.size()) {
      trajectories.push_back({sample.task, sample.backend, sample.attempt, {}});
    }
    trajectories[place].samples.push_back(i);
  }
  for (Trajectory& trajectory : trajectories) {
    std::stable_sort(
        trajectory.samples.begin(), trajectory.samples.end(),
        [&](std::size_t a, std::size_t b) { return samples[a].turn < samples[b].turn; });
  }
  return trajectories;
}

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
