// Estimates the number of tokens of a text without a tokenizer. Rows are estimated when they are
// rendered; the step "measure" replaces the estimates by counts when a tokenizer is configured.
// Every place that shows an estimate must call it one. It assumes 3.1 bytes per token inside fenced
// code and 4.1 outside, which was measured for current code models over kernel tasks and their
// answers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "corpora/records/training_record.h"

namespace kernelmill {

inline constexpr double kCodeBytesPerToken = 3.1;
inline constexpr double kProseBytesPerToken = 4.1;

// `markdown`: text between ``` fences, the fences included, counts as code.
std::int64_t EstimateTokens(std::string_view markdown);
// Of all messages together.
std::int64_t EstimateTokens(const std::vector<Message>& messages);

// `prompt` covers the messages before the last one, `answer` the last one, which is trained.
struct TokenEstimate {
  std::int64_t prompt = 0;
  std::int64_t answer = 0;
};
TokenEstimate EstimateTokens(const TrainingRecord& record);

}  // namespace kernelmill
