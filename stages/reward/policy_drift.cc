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

// What makes two samples the same response.
std::string ResponseKey(const ModelSample& sample, const Digest& task, const std::string& backend) {
  return Sha256()
      .Field(task.AsKey())
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

// Calls `put` with the key, the place and the sample for every sample of a known task.
Status ForEachResponse(const SampleSource& source, const DriftFiles& files, bool refuse_problems,
                       const std::function<Status(const std::string& key, const DriftPlace& place,
                                                  const ModelSample& sample)>& put) {
  return ForEachSampleLine(source, [&](const SampleLine& line) -> Status {
    if (refuse_problems && !line.parsed.problems.empty()) {
      return Status(ErrorCode::kConfig, std::string(kPolicyLogProbsKey) + ": " + line.name + ": " +
                                            line.parsed.problems.front().detail);
    }
    const std::string bytes = DigestOf(line.bytes).Hex();
    std::int64_t position = 0;
    for (const ModelSample& sample : line.parsed.samples) {
      const DriftPlace place = {bytes, position++};
      const Result<Digest> task = files.tasks.names.Find(sample.task);
      if (!task.ok()) continue;
      KM_RETURN_IF_ERROR(put(ResponseKey(sample, *task, files.backend), place, sample));
    }
    return Status::Ok();
  });
}

}  // namespace

Result<std::map<DriftPlace, TokenDrift>> DriftsOf(const DriftFiles& files,
                                                  const RewardOptions& options,
                                                  const std::string& scratch) {
  KM_ASSIGN(ShardSorter sorter, ShardSorter::Create(scratch));
  KM_RETURN_IF_ERROR(
      ForEachResponse(files.policy, files, true,
                      [&](const std::string& key, const DriftPlace&, const ModelSample& sample) {
                        return sorter.Put(key + kPolicy, TokensJson(sample).Dump());
                      }));
  for (const SampleSource& source : files.rollouts) {
    KM_RETURN_IF_ERROR(ForEachResponse(
        source, files, false,
        [&](const std::string& key, const DriftPlace& place, const ModelSample& sample) {
          return sorter.Put(key + kRollout + place.first + "/" + std::to_string(place.second),
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
  return Status(ErrorCode::kConfig,
                std::string(kPolicyLogProbsKey) + ": no line of " + files.policy.name +
                    " has the task, backend, turn and text of a sample; it must hold the responses "
                    "of the samples, with other log-probs");
}

}  // namespace kernelmill
