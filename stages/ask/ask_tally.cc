#include "stages/ask/ask_tally.h"

#include <algorithm>

#include "parsers/samples/sample_fields.h"

namespace kernelmill {

void AskTally::AddAnswer(const Json& body, const std::vector<ModelSample>& samples) {
  answered += static_cast<std::int64_t>(samples.size());
  cut += std::count_if(samples.begin(), samples.end(),
                       [](const ModelSample& sample) { return sample.Cut(); });
  const Json* const usage = body.Find("usage");
  const auto is_count = [](std::int64_t tokens) { return tokens >= 0 && tokens <= kMostCount; };
  const std::int64_t asked = usage == nullptr ? -1 : usage->IntegerAt("prompt_tokens");
  const std::int64_t written = usage == nullptr ? -1 : usage->IntegerAt("completion_tokens");
  if (usage == nullptr || !usage->is_object() || !is_count(asked) || !is_count(written)) {
    ++uncounted;
    return;
  }
  prompt_tokens += asked;
  completion_tokens += written;
}

void AskTally::Add(const AskTally& other) {
  answered += other.answered;
  cut += other.cut;
  for (const auto& [code, samples] : other.failed) failed[code] += samples;
  prompt_tokens += other.prompt_tokens;
  completion_tokens += other.completion_tokens;
  uncounted += other.uncounted;
}

std::int64_t AskTally::Failed() const {
  std::int64_t sum = 0;
  for (const auto& [code, samples] : failed) sum += samples;
  return sum;
}

Json AskTally::ToJson() const {
  return Json::Object{{"answered", answered},
                      {"cut", cut},
                      {"failed", Json::Object(failed.begin(), failed.end())},
                      {"prompt_tokens", prompt_tokens},
                      {"completion_tokens", completion_tokens},
                      {"uncounted", uncounted}};
}

}  // namespace kernelmill
