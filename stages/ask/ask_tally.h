// Counts what a file of answers holds or what a run of `sample` adds to it: answers, failures,
// tokens.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "parsers/samples/model_sample.h"

namespace kernelmill {

struct AskTally {
  std::int64_t answered = 0;                   // Samples.
  std::int64_t cut = 0;                        // Of them, those that were cut at a limit of tokens.
  std::map<std::string, std::int64_t> failed;  // Samples by the code of the failure.
  std::int64_t prompt_tokens = 0, completion_tokens = 0;  // As the server counts them.
  std::int64_t uncounted = 0;  // Replies that do not say how many tokens they took.

  // The reply to one request, and what it holds.
  void AddAnswer(const Json& body, const std::vector<ModelSample>& samples);
  void Add(const AskTally& other);
  std::int64_t Failed() const;

  // {"answered", "cut", "failed", "prompt_tokens", "completion_tokens", "uncounted"}.
  Json ToJson() const;
};

}  // namespace kernelmill
