#include "stages/recipes/run_rewards.h"

#include <fstream>
#include <functional>
#include <map>
#include <utility>

#include "stages/device/measurement_file.h"
#include "stages/recipes/published_files.h"
#include "stages/reward/policy_drift.h"
#include "stages/verify/run/judge_keys.h"

namespace kernelmill {
namespace {

Status ForEachJsonLine(const std::string& path, const std::function<Status(const Json&)>& visit) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status::FromErrno("cannot open", path);
  std::int64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    const std::string where = path + ":" + std::to_string(++number);
    const Result<Json> json = Json::Parse(line);
    if (!json.ok()) return json.status().Within(where);
    const Status status = visit(*json);
    if (!status.ok()) return status.Within(where);
  }
  return file.bad() ? Status::FromErrno("cannot read", path) : Status::Ok();
}

// The drift of the sample of a line of verdicts.jsonl.
using FindDrift = std::function<TokenDrift(const Json& line)>;

// `measurement`: of the answer on a device, or null. Nothing for one that fails there.
std::optional<double> RewardWith(const Measurement* measurement, const Verdict& verdict,
                                 const SpeedTerm& speed) {
  if (measurement == nullptr) return TurnReward(verdict, std::nullopt, speed);
  if (measurement->IsFailure()) return std::nullopt;
  return TurnReward(verdict, measurement->SpeedUp(), speed);
}

Result<RoundRewards> RewardsOfVerdicts(const RewardOptions& options, const std::string& folder,
                                       const FindDrift& find_drift) {
  KM_ASSIGN(const auto measurements,
            ReadComparableMeasurements(folder + "/" + std::string(kMeasurementsName)));
  std::vector<RewardedTurn> turns;
  KM_RETURN_IF_ERROR(
      ForEachJsonLine(folder + "/" + std::string(kVerdictsName), [&](const Json& line) -> Status {
        const Json* const judged = line.Find("verdict");
        if (judged == nullptr || line.Find("retry") != nullptr) return Status::Ok();
        KM_ASSIGN(const Verdict verdict, Verdict::FromJson(*judged));
        RewardedTurn& turn = turns.emplace_back();
        turn.task = line.TextAt("task");
        turn.backend = judged->TextAt("backend");
        turn.attempt = line.IntegerAt("attempt");
        turn.turn = line.IntegerAt("turn");
        turn.key = line.TextAt("key");
        const Measurement* const measurement =
            FindMeasurement(measurements, turn.key, line.TextAt("fingerprint"));
        turn.reward = RewardWith(measurement, verdict, options.multi_turn.speed);
        turn.correct = verdict.status == VerdictStatus::kCorrect &&
                       (measurement == nullptr || !measurement->IsFailure());
        if (find_drift) turn.drift = find_drift(line);
        return Status::Ok();
      }));
  return RewardsOf(std::move(turns), options, find_drift != nullptr);
}

TokenDrift AbsentDrift() {
  TokenDrift drift;
  drift.problem = kLogProbsAbsent;
  return drift;
}

// Reads DriftMask::ToJson().
Result<TokenDrift> DriftOfMask(const Json& mask) {
  TokenDrift drift;
  const Json *const d = mask.Find("d"), *const mean = mask.Find("signed_mean");
  if (d == nullptr || d->is_null()) {
    drift.problem = mask.TextAt("reason");
    return drift;
  }
  const auto is_number = [](const Json* value) { return value->is_int() || value->is_double(); };
  if (!is_number(d) || (mean != nullptr && !is_number(mean))) {
    return Status(ErrorCode::kCorrupt, "a mask's d or signed_mean is no number");
  }
  drift.d = d->as_double();
  if (mean != nullptr) drift.signed_mean = mean->as_double();
  return drift;
}

}  // namespace

Result<RoundRewards> RewardsOfRun(const Run& run, const Config& config,
                                  const ResolvedSources& sources, const std::string& folder) {
  KM_ASSIGN(const RewardOptions options, RewardOptions::Of(config));
  if (!sources.policy) return RewardsOfVerdicts(options, folder, nullptr);
  KM_ASSIGN(const RunTasks tasks, RunTasks::Of(run));
  KM_ASSIGN(const auto drifts, DriftsOf({.rollouts = sources.samples,
                                         .policy = *sources.policy,
                                         .tasks = tasks,
                                         .backend = config.String(kJudgeBackendKey)},
                                        options, run.StatePath("steps")));
  return RewardsOfVerdicts(options, folder, [&](const Json& line) {
    const Json* const place = line.Find("place");
    if (place == nullptr) return AbsentDrift();
    const auto found = drifts.find({place->TextAt("sha256"), place->IntegerAt("position")});
    return found == drifts.end() ? AbsentDrift() : found->second;
  });
}

Status CheckPolicyLogProbs(const Run& run, const Config& config, const ResolvedSources& sources) {
  if (!sources.policy) return Status::Ok();
  KM_ASSIGN(const RewardOptions options, RewardOptions::Of(config));
  return CheckPolicyFile(sources.samples, *sources.policy, config.String(kJudgeBackendKey), options,
                         run.StatePath("steps"));
}

Result<RoundRewards> RewardsOfFiles(const Config& config, const std::string& folder) {
  KM_ASSIGN(const RewardOptions options, RewardOptions::Of(config));
  if (options.policy_log_probs.empty()) return RewardsOfVerdicts(options, folder, nullptr);
  std::map<std::string, TokenDrift> drifts;  // By RewardedTurn::key.
  KM_RETURN_IF_ERROR(ForEachJsonLine(folder + "/" + std::string(kRewardLinesName),
                                     [&](const Json& line) -> Status {
                                       const Json* const turns = line.Find("turns");
                                       if (turns == nullptr || !turns->is_array()) {
                                         return Status(ErrorCode::kCorrupt, "it has no turns");
                                       }
                                       for (const Json& turn : turns->as_array()) {
                                         const Json* const mask = turn.Find("mask");
                                         if (mask == nullptr) {
                                           return Status(ErrorCode::kCorrupt, "a turn has no mask");
                                         }
                                         KM_ASSIGN(drifts[turn.TextAt("key")], DriftOfMask(*mask));
                                       }
                                       return Status::Ok();
                                     }));
  return RewardsOfVerdicts(options, folder, [&](const Json& line) {
    const auto found = drifts.find(line.TextAt("key"));
    return found == drifts.end() ? AbsentDrift() : found->second;
  });
}

}  // namespace kernelmill
