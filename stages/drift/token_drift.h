// How far the policy that is trained has drifted from the one that sampled a response: equation 20
// of MusaCoder (MirrorPop, arXiv 2606.04847).
//
//   d = (1 / T) Σ_t |log π_train(y_t) − log π_rollout(y_t)|
//
// over the T tokens of the response. The absolute values matter: signed differences cancel out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "parsers/samples/model_sample.h"

namespace kernelmill {

// Of which distribution log-probs are.
enum class LogProbMode {
  kRaw,        // The model's own, whatever the temperature is.
  kProcessed,  // That which tokens are sampled from: after temperature, penalties, top_k and top_p.
};

// "raw" or "processed", as vLLM's logprobs mode names them.
std::string_view LogProbModeName(LogProbMode mode);
// kConfig for another name.
Result<LogProbMode> LogProbModeNamed(std::string_view name);

// The log-probs of the tokens of one response, and how they were computed. No format of samples
// says all of that, so that who asked the server has to record it.
struct ScoredTokens {
  const ModelSample* sample = nullptr;  // Its log_probs and log_prob_problem are read.
  std::optional<double> temperature;    // ModelSample::sampling.temperature, where a file has it.
  std::optional<LogProbMode> mode;
};

// Why two sides cannot be compared, beside the problems of one side (kLogProbsLength and the others
// in model_sample.h). Another mode, or another temperature of processed log-probs, looks like
// drift, and is none.
inline constexpr std::string_view kTemperatureDiffers = "temperature";
inline constexpr std::string_view kTemperatureUnknown = "temperature_unknown";
inline constexpr std::string_view kModeDiffers = "mode";
inline constexpr std::string_view kModeUnknown = "mode_unknown";
// The sides have other tokens, or another number of them.
inline constexpr std::string_view kTokensDiffer = "tokens";
// A token has an id on one side only and a text on the other, or no token has either.
inline constexpr std::string_view kTokensUnknown = "tokens_unknown";

struct TokenDrift {
  std::optional<double> d;  // In nats a token; nothing if there is a problem.
  double signed_mean = 0;   // The same without the absolute values, for reports.
  std::string problem;      // One of the names above, or "".

  bool IsAbsent() const { return problem == kLogProbsAbsent; }
};

// Compares the two sides token by token. The ids must be equal or, where not both sides have one,
// the texts: OpenAI's API gives no ids. Equal texts are weaker, because several tokens of one
// vocabulary can be shown as the same text. Problems are looked for in this order: absent
// log-probs, those of one side, mode, temperature, tokens. Pure.
TokenDrift DriftBetween(const ScoredTokens& rollout, const ScoredTokens& train);

}  // namespace kernelmill
