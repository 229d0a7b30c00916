#include "stages/reward/reward_options.h"

#include "stages/drift/drift_mask.h"

namespace kernelmill {
namespace {

// A temperature that the configuration does not say: the file does.
constexpr double kNotSaid = -1;

Result<LogProbConditions> ConditionsOf(const Config& config, const std::string& side) {
  LogProbConditions conditions;
  const double temperature = config.Number("reward." + side + "_temperature");
  if (temperature >= 0) conditions.temperature = temperature;
  const std::string key = "reward." + side + "_mode", mode = config.String(key);
  if (mode.empty()) return conditions;
  Result<LogProbMode> named = LogProbModeNamed(mode);
  if (!named.ok()) return named.status().Within(key);
  conditions.mode = *named;
  return conditions;
}

Json ToJson(const LogProbConditions& conditions) {
  return Json::Object{
      {"temperature", conditions.temperature ? Json(*conditions.temperature) : Json()},
      {"mode", conditions.mode ? Json(LogProbModeName(*conditions.mode)) : Json()}};
}

}  // namespace

std::vector<ConfigKey> RewardKeys() {
  const MultiTurnOptions turns;
  const PrimeEchoOptions& echo = turns.prime_echo;
  const ConfigRange turns_range{1, 100}, temperatures{kNotSaid, 10};
  return {
      {"reward.multi_turn", ConfigType::kString, "prime_echo", "",
       "How the turns of a trajectory are rewarded: prime_echo (one reward, for the first "
       "response, as MusaCoder), or kevin (a discounted sum for each response)."},
      {"reward.max_turns", ConfigType::kInteger, echo.max_turns, "turns",
       "Later turns of a trajectory have no reward.", turns_range},
      {"reward.alpha", ConfigType::kNumber, echo.alpha, "",
       "For prime_echo: the share of the first response in the reward.", kFraction},
      {"reward.b1", ConfigType::kNumber, echo.b1, "",
       "For prime_echo: what is added when the first response passes. The paper does not give it.",
       kNotNegative},
      {"reward.b2", ConfigType::kNumber, echo.b2, "",
       "For prime_echo: what is added when the second response is the first to pass. The paper "
       "does not give it.",
       kNotNegative},
      {"reward.gamma", ConfigType::kNumber, turns.kevin.gamma, "",
       "For kevin: how much a reward counts one turn earlier.", kFraction},
      {kPolicyLogProbsKey, ConfigType::kString, "", "",
       "A file, in any format of samples with lines, that holds the same responses with the "
       "log-probs that the policy which is trained gives their tokens. Responses of which it has "
       "drifted away (MirrorPop) are marked as masked. Nothing: none is."},
      {"reward.delta", ConfigType::kNumber, kDefaultDelta, "nats a token",
       "The largest drift of a response that is not masked. The paper does not give it.",
       kNotNegative},
      {"reward.calibrate", ConfigType::kBool, false, "",
       "Whether the samples are fresh, that is of the policy which is trained: reward.delta is "
       "then three times the median of their drifts, but at least 0.05."},
      {"reward.rollout_mode", ConfigType::kString, "", "",
       "What the log-probs of the samples are of: raw (the model's own distribution) or processed "
       "(that which tokens were drawn from). Without it no drift is known."},
      {"reward.policy_mode", ConfigType::kString, "", "", "The same for reward.policy_log_probs."},
      {"reward.rollout_temperature", ConfigType::kNumber, kNotSaid, "",
       "The temperature of samples whose lines name none. -1: unknown.", temperatures},
      {"reward.policy_temperature", ConfigType::kNumber, kNotSaid, "",
       "The same for reward.policy_log_probs.", temperatures},
  };
}

Result<RewardOptions> RewardOptions::Of(const Config& config) {
  RewardOptions options;
  MultiTurnOptions& turns = options.multi_turn;
  KM_ASSIGN(turns.mode, MultiTurnModeNamed(config.String("reward.multi_turn")));
  turns.prime_echo.max_turns = turns.kevin.max_turns = config.Integer("reward.max_turns");
  turns.prime_echo.alpha = config.Number("reward.alpha");
  turns.prime_echo.b1 = config.Number("reward.b1");
  turns.prime_echo.b2 = config.Number("reward.b2");
  turns.kevin.gamma = config.Number("reward.gamma");
  KM_RETURN_IF_ERROR(turns.Check());
  if (!config.String(kPolicyLogProbsKey).empty()) {
    options.policy_log_probs = config.Path(kPolicyLogProbsKey);
  }
  KM_ASSIGN(options.rollout, ConditionsOf(config, "rollout"));
  KM_ASSIGN(options.policy, ConditionsOf(config, "policy"));
  options.delta = config.Number("reward.delta");
  options.calibrate = config.Bool("reward.calibrate");
  return options;
}

Json RewardOptions::ToJson() const {
  return Json::Object{{"multi_turn", multi_turn.ToJson()},
                      {"rollout", kernelmill::ToJson(rollout)},
                      {"policy", kernelmill::ToJson(policy)}};
}

}  // namespace kernelmill
