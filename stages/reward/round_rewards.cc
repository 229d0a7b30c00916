#include "stages/reward/round_rewards.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace kernelmill {
namespace {

using Turns = std::vector<RewardedTurn>;

// The threshold for masks.
Result<double> DeltaOf(const Turns& turns, const RewardOptions& options) {
  if (!options.calibrate) return options.delta;
  std::vector<double> known;
  for (const RewardedTurn& turn : turns) {
    if (turn.drift.d) known.push_back(*turn.drift.d);
  }
  Result<double> delta = CalibratedDelta(std::move(known));
  return delta.ok() ? delta : delta.status().Within("reward.calibrate");
}

// The turns from `begin` to `end` are one trajectory.
TrajectoryCredit CreditOf(Turns::const_iterator begin, Turns::const_iterator end,
                          const RewardOptions& options) {
  std::vector<ScoredTurn> scored;
  for (auto turn = begin; turn != end; ++turn) scored.push_back({turn->turn, turn->reward});
  return MultiTurnCredit(scored, options.multi_turn);
}

Json GroupJson(const std::pair<std::string, std::string>& prompt,
               const std::vector<MaskedResponse>& responses) {
  const RewardGroup group = RewardGroupOf(responses);
  return Json::Object{{"task", prompt.first},
                      {"backend", prompt.second},
                      {"responses", group.responses},
                      {"rewarded", group.rewarded},
                      {"masked", group.masked},
                      {"mean", group.mean ? Json(*group.mean) : Json()},
                      {"deviation", group.deviation ? Json(*group.deviation) : Json()}};
}

}  // namespace

Json RewardedTurn::ToJson(const TurnCredit& credit) const {
  return Json::Object{{"turn", turn},
                      {"key", key},
                      {"reward", reward ? Json(*reward) : Json()},
                      {"value", credit.value ? Json(*credit.value) : Json()},
                      {"trained", credit.trained}};
}

Result<RoundRewards> RewardsOf(Turns turns, const RewardOptions& options, bool masks) {
  const auto trajectory = [](const RewardedTurn& turn) {
    return std::tie(turn.task, turn.backend, turn.attempt);
  };
  std::sort(turns.begin(), turns.end(), [&](const RewardedTurn& a, const RewardedTurn& b) {
    return std::tuple_cat(trajectory(a), std::tie(a.turn, a.key)) <
           std::tuple_cat(trajectory(b), std::tie(b.turn, b.key));
  });
  double delta = options.delta;
  if (masks) {
    KM_ASSIGN(delta, DeltaOf(turns, options));
  }
  RoundRewards rewards;
  std::int64_t trajectories = 0, valued = 0, left_out = 0;
  std::vector<MaskedResponse> responses;
  std::map<std::pair<std::string, std::string>, std::vector<MaskedResponse>> groups;
  for (auto begin = turns.cbegin(); begin != turns.cend();) {
    const auto end = std::find_if(begin, turns.cend(), [&](const RewardedTurn& turn) {
      return trajectory(turn) != trajectory(*begin);
    });
    const TrajectoryCredit credit = CreditOf(begin, end, options);
    Json::Array said;
    bool has_value = false;
    for (auto turn = begin; turn != end; ++turn) {
      // Those that count are the first ones.
      const auto place = static_cast<std::size_t>(turn - begin);
      const TurnCredit worth =
          place < credit.turns.size() ? credit.turns[place] : TurnCredit{.turn = turn->turn};
      has_value |= worth.value.has_value();
      Json line = turn->ToJson(worth);
      const DriftMask mask = MaskOf(turn->drift, delta);
      if (masks) {
        line["mask"] = mask.ToJson();
        responses.push_back({turn->reward, turn->correct, mask});
      }
      if (worth.trained) {
        groups[{turn->task, turn->backend}].push_back({worth.value, turn->correct, mask});
      }
      said.push_back(std::move(line));
    }
    ++trajectories;
    valued += has_value;
    left_out += credit.left_out;
    rewards.lines += Json(Json::Object{{"task", begin->task},
                                       {"backend", begin->backend},
                                       {"attempt", begin->attempt},
                                       {"turns", std::move(said)},
                                       {"left_out", credit.left_out},
                                       {"problem", credit.problem}})
                         .Dump() +
                     "\n";
    begin = end;
  }
  Json::Array grouped;
  for (const auto& [prompt, members] : groups) {
    Json group = GroupJson(prompt, members);
    if (!masks) group["masked"] = Json();
    grouped.push_back(std::move(group));
  }
  rewards.summary = options.ToJson();
  rewards.summary["trajectories"] = trajectories;
  rewards.summary["with_value"] = valued;
  rewards.summary["turns_left_out"] = left_out;
  rewards.summary["groups"] = std::move(grouped);
  rewards.summary["drift"] = masks ? ReportDrift(responses, delta).ToJson() : Json();
  return rewards;
}

}  // namespace kernelmill
