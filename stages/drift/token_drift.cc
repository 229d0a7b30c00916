#include "stages/drift/token_drift.h"

#include <cmath>

namespace kernelmill {
namespace {

constexpr std::string_view kRawName = "raw";
constexpr std::string_view kProcessedName = "processed";

// Samples that no reader made have no problem set.
std::string_view ProblemOf(const ModelSample& sample) {
  if (!sample.log_prob_problem.empty()) return sample.log_prob_problem;
  return sample.log_probs.empty() ? kLogProbsAbsent : std::string_view();
}

template <typename Value>
std::string_view Compare(const std::optional<Value>& a, const std::optional<Value>& b,
                         std::string_view unknown, std::string_view differs) {
  if (!a || !b) return unknown;
  return *a == *b ? std::string_view() : differs;
}

// Tokens without a text on both sides fit: servers leave out that of the token that ends a message.
std::string_view CompareTokens(const TokenLogProb& a, const TokenLogProb& b) {
  if (a.id && b.id) return *a.id == *b.id ? std::string_view() : kTokensDiffer;
  if (a.token.empty() != b.token.empty()) return kTokensUnknown;
  return a.token == b.token ? std::string_view() : kTokensDiffer;
}

// Whether anything says which tokens these are.
bool AreNamed(const TokenLogProb& a, const TokenLogProb& b) {
  return (a.id && b.id) || !a.token.empty();
}

std::string_view ProblemBetween(const ScoredTokens& rollout, const ScoredTokens& train) {
  const std::string_view of_rollout = ProblemOf(*rollout.sample);
  const std::string_view of_train = ProblemOf(*train.sample);
  if (of_rollout == kLogProbsAbsent || of_train == kLogProbsAbsent) return kLogProbsAbsent;
  if (!of_rollout.empty()) return of_rollout;
  if (!of_train.empty()) return of_train;
  const std::string_view mode = Compare(rollout.mode, train.mode, kModeUnknown, kModeDiffers);
  if (!mode.empty() || rollout.mode == LogProbMode::kRaw) return mode;
  return Compare(rollout.temperature, train.temperature, kTemperatureUnknown, kTemperatureDiffers);
}

}  // namespace

std::string_view LogProbModeName(LogProbMode mode) {
  return mode == LogProbMode::kRaw ? kRawName : kProcessedName;
}

Result<LogProbMode> LogProbModeNamed(std::string_view name) {
  if (name == kRawName) return LogProbMode::kRaw;
  if (name == kProcessedName) return LogProbMode::kProcessed;
  return Status(ErrorCode::kConfig, "there is no mode of log-probs '" + std::string(name) +
                                        "': it is raw or processed");
}

TokenDrift DriftBetween(const ScoredTokens& rollout, const ScoredTokens& train) {
  TokenDrift drift;
  drift.problem = ProblemBetween(rollout, train);
  if (!drift.problem.empty()) return drift;
  const std::vector<TokenLogProb>& sampled = rollout.sample->log_probs;
  const std::vector<TokenLogProb>& trained = train.sample->log_probs;
  if (sampled.size() != trained.size()) {
    drift.problem = kTokensDiffer;
    return drift;
  }
  double sum = 0, signed_sum = 0;
  bool named = false;
  for (std::size_t i = 0; i < sampled.size(); ++i) {
    drift.problem = CompareTokens(sampled[i], trained[i]);
    if (!drift.problem.empty()) return drift;
    named = named || AreNamed(sampled[i], trained[i]);
    const double difference = trained[i].log_prob - sampled[i].log_prob;
    sum += std::abs(difference);
    signed_sum += difference;
  }
  const auto tokens = static_cast<double>(sampled.size());
  // Larger sums come from no probabilities, and what is computed from them might not be finite.
  constexpr double kLargest = 1e12;
  if (!named || !(sum < kLargest)) {
    drift.problem = named ? kLogProbsNotFinite : kTokensUnknown;
    return drift;
  }
  drift.d = sum / tokens;
  drift.signed_mean = signed_sum / tokens;
  return drift;
}

}  // namespace kernelmill
