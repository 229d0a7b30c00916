// How many tokens a text has, without a tokenizer: an estimate, and to be called one wherever it is
// shown. 3.1 bytes a token inside fenced code and 4.1 outside, as measured for current code models
// over kernel tasks and their answers.
#pragma once

#include <cstdint>
#include <string_view>

#include "corpora/records/training_record.h"

namespace kernelmill {

inline constexpr double kCodeBytesPerToken = 3.1;
inline constexpr double kProseBytesPerToken = 4.1;

// `markdown`: code is what stands between ``` fences, the fences included.
std::int64_t EstimateTokens(std::string_view markdown);

// Over the messages before the last, and of the last: the one that is trained.
struct TokenEstimate {
  std::int64_t prompt = 0;
  std::int64_t answer = 0;
};
TokenEstimate EstimateTokens(const TrainingRecord& record);

}  // namespace kernelmill
