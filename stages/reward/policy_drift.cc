#include "stages/reward/policy_drift.h"

#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "corpora/shards/shard.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr char kPolicy[] = "/a", kRollout[] = "/b";  // The policy's line comes first.

// What makes two samples the same response. `task`: its key, or "" where it is not known.
std::string ResponseKey(const ModelSample& sample, std::string_view task,
                        const std::string& backend) {
  return Sha256()
      .Field(task)
      .Field(sample.backend != nullptr ? std::string(sample.backend->name) : backend)
      .Field(std::to_string(sample.turn))
      .Field(sample.retry)
      .Field(sample.reasoning)
      .Field(sample.message)
      .Finish()
      .Hex();
}

Json TokensJson(const ModelSample& sample) {
  Json::Array tokens;
  for (const TokenLogProb& token : sample.log_probs) {
    tokens.push_back(Json::Array{token.token, token.id ? Json(*token.id) : Json(),
                                 std::isfinite(token.log_prob) ? Json(token.log_prob) : Json()});
  }
  const std::optional<double>& temperature = sample.sampling.temperature;
  return Json::Object{{"tokens", std::move(tokens)},
                      {"problem", sample.log_prob_problem},
                      {"temperature", temperature ? Json(*temperature) : Json()}};
}

// The reverse of TokensJson().
Result<ModelSample> SampleOfTokens(const Json& json) {
  ModelSample sample;
  Json tokens, temperature;
  JsonFields fields(json, "log-probs");
  fields.Read("tokens", &tokens);
  fields.Read("problem", &sample.log_prob_problem);
  fields.Read("temperature", &temperature);
  KM_RETURN_IF_ERROR(fields.Finish());
  if (!temperature.is_null()) sample.sampling.temperature = temperature.as_double();
  for (const Json& item : tokens.as_array()) {
    const Json::Array& parts = item.as_array();
    TokenLogProb& token = sample.log_probs.emplace_back();
    token.token = parts[0].as_string();
    if (!parts[1].is_null()) token.id = parts[1].as_int();
    token.log_prob =
        parts[2].is_null() ? std::numeric_limits<double>::quiet_NaN() : parts[2].as_double();
  }
  return sample;
}

ScoredTokens Scored(const ModelSample& sample, const LogProbConditions& conditions) {
  ScoredTokens tokens{
      .sample = &sample, .temperature = sample.sampling.temperature, .mode = conditions.mode};
  if (!tokens.temperature) tokens.temperature = conditions.temperature;
  return tokens;
}

using VisitSample = std::function<Status(const DriftPlace& place, const ModelSample& sample)>;

Status ForEachSample(const SampleSource& source, const VisitSample& visit) {
  return ForEachSampleLine(source, [&](const SampleLine& line) -> Status {
    const std::string bytes = DigestOf(line.bytes).Hex();
    std::int64_t position = 0;
    for (const ModelSample& sample : line.parsed.samples) {
      KM_RETURN_IF_ERROR(visit({bytes, position++}, sample));
    }
    return Status::Ok();
  });
}

Status CheckLines(const SampleSource& policy) {
  return ForEachSampleLine(policy, [&](const SampleLine& line) -> Status {
    if (line.parsed.problems.empty()) return Status::Ok();
    return Status(ErrorCode::kConfig, std::string(kPolicyLogProbsKey) + ": " + line.name + ": " +
                                          line.parsed.problems.front().detail);
  });
}

Status NothingInCommon(const SampleSource& policy) {
  return Status(ErrorCode::kConfig,
                std::string(kPolicyLogProbsKey) + ": no line of " + policy.name +
                    " has the task, backend, turn and text of a sample; it must hold the responses "
                    "of the samples, with other log-probs");
}

}  // namespace

Result<std::map<DriftPlace, TokenDrift>> DriftsOf(const DriftFiles& files,
                                                  const RewardOptions& options,
                                                  const std::string& scratch) {
  KM_RETURN_IF_ERROR(CheckLines(files.policy));
  KM_ASSIGN(ShardSorter sorter, ShardSorter::Create(scratch));
  const auto key_of = [&](const ModelSample& sample) -> std::optional<std::string> {
    const Result<Digest> task = files.tasks.names.Find(sample.task);
    if (!task.ok()) return std::nullopt;
    return ResponseKey(sample, task->AsKey(), files.backend);
  };
  KM_RETURN_IF_ERROR(
      ForEachSample(files.policy, [&](const DriftPlace&, const ModelSample& sample) -> Status {
        const std::optional<std::string> key = key_of(sample);
        return key ? sorter.Put(*key + kPolicy, TokensJson(sample).Dump()) : Status::Ok();
      }));
  for (const SampleSource& source : files.rollouts) {
    KM_RETURN_IF_ERROR(
        ForEachSample(source, [&](const DriftPlace& place, const ModelSample& sample) -> Status {
          const std::optional<std::string> key = key_of(sample);
          if (!key) return Status::Ok();
          return sorter.Put(*key + kRollout + place.first + "/" + std::to_string(place.second),
                            Json(Json::Object{{"line", place.first},
                                              {"position", place.second},
                                              {"sample", TokensJson(sample)}})
                                .Dump());
        }));
  }
  std::map<DriftPlace, TokenDrift> drifts;
  std::string policy_key;
  ModelSample policy;
  bool any = false;
  KM_RETURN_IF_ERROR(
      sorter.ForEach([&](std::string_view key, std::string_view body, bool*) -> Status {
        const std::string response(key.substr(0, key.find('/')));
        KM_ASSIGN(const Json json, Json::Parse(body));
        if (key.ends_with(kPolicy)) {
          policy_key = response;
          KM_ASSIGN(policy, SampleOfTokens(json));
          return Status::Ok();
        }
        KM_ASSIGN(const ModelSample rollout, SampleOfTokens(*json.Find("sample")));
        TokenDrift& drift = drifts[{json.TextAt("line"), json.IntegerAt("position")}];
        if (response != policy_key) {
          drift.problem = kLogProbsAbsent;
          return Status::Ok();
        }
        any = true;
        drift = DriftBetween(Scored(rollout, options.rollout), Scored(policy, options.policy));
        return Status::Ok();
      }));
  if (any) return drifts;
  return NothingInCommon(files.policy);
}

Status CheckPolicyFile(const std::vector<SampleSource>& rollouts, const SampleSource& policy,
                       const std::string& backend, const RewardOptions& options,
                       const std::string& scratch) {
  KM_RETURN_IF_ERROR(CheckLines(policy));
  KM_ASSIGN(ShardSorter sorter, ShardSorter::Create(scratch));
  std::int64_t number = 0;
  const auto put = [&](const char* side) {
    return [&, side](const DriftPlace&, const ModelSample& sample) {
      return sorter.Put(ResponseKey(sample, "", backend) + side + std::to_string(number++),
                        TokensJson(sample).Dump());
    };
  };
  KM_RETURN_IF_ERROR(ForEachSample(policy, put(kPolicy)));
  for (const SampleSource& source : rollouts) {
    KM_RETURN_IF_ERROR(ForEachSample(source, put(kRollout)));
  }
  std::string response;
  std::vector<ModelSample> policies;  // Of the response, for whatever tasks.
  bool any = false, known = false;
  KM_RETURN_IF_ERROR(sorter.ForEach([&](std::string_view key, std::string_view body,
                                        bool* more) -> Status {
    const std::size_t slash = key.find('/');
    if (key.substr(0, slash) != response) policies.clear();
    response = key.substr(0, slash);
    KM_ASSIGN(const Json json, Json::Parse(body));
    KM_ASSIGN(ModelSample sample, SampleOfTokens(json));
    if (key.substr(slash).starts_with(kPolicy)) {
      policies.push_back(std::move(sample));
      return Status::Ok();
    }
    any |= !policies.empty();
    for (const ModelSample& one : policies) {
      known |=
          DriftBetween(Scored(sample, options.rollout), Scored(one, options.policy)).d.has_value();
    }
    *more = !any || (options.calibrate && !known);
    return Status::Ok();
  }));
  if (!any) return NothingInCommon(policy);
  if (!options.calibrate || known) return Status::Ok();
  return Status(ErrorCode::kConfig,
                "reward.calibrate: no drift of a sample is known from " + policy.name +
                    "; its lines and those of the samples need log-probs of the same tokens, and "
                    "reward.rollout_mode and reward.policy_mode must say what they are of");
}

}  // namespace kernelmill
