#include "corpora/token_estimate.h"

#include <algorithm>

namespace kernelmill {
namespace {

std::size_t Backticks(std::string_view line) {
  return std::min(line.find_first_not_of('`'), line.size());
}

}  // namespace

std::int64_t EstimateTokens(std::string_view markdown) {
  std::int64_t code = 0, prose = 0;
  std::size_t fence = 0;  // The number of backticks of the open fence; 0 outside of fences.
  while (!markdown.empty()) {
    const std::string_view line =
        markdown.substr(0, std::min(markdown.find('\n'), markdown.size() - 1) + 1);
    markdown.remove_prefix(line.size());
    const std::size_t backticks = Backticks(line);
    const bool opens = fence == 0 && backticks >= 3;
    const bool closes = fence > 0 && backticks >= fence;
    (fence > 0 || opens ? code : prose) += static_cast<std::int64_t>(line.size());
    if (opens) fence = backticks;
    if (closes) fence = 0;
  }
  // In integers and rounded up: 1 / 3.1 = 410 / 1271, 1 / 4.1 = 310 / 1271.
  return (410 * code + 310 * prose + 1270) / 1271;
}

std::int64_t EstimateTokens(const std::vector<Message>& messages) {
  std::int64_t tokens = 0;
  for (const Message& message : messages) tokens += EstimateTokens(message.content);
  return tokens;
}

TokenEstimate EstimateTokens(const TrainingRecord& record) {
  TokenEstimate estimate;
  for (const Message& message : record.messages) {
    estimate.prompt += estimate.answer;
    estimate.answer = EstimateTokens(message.content);
  }
  return estimate;
}

}  // namespace kernelmill
