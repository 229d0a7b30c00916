#include "parsers/samples/message_code.h"

#include <set>
#include <vector>

namespace kernelmill {
namespace {

constexpr std::string_view kFence = "```";
constexpr std::string_view kThinkEnd = "</think>";
constexpr std::string_view kModel = "class ModelNew";

std::string_view WithoutReasoning(std::string_view message) {
  const std::size_t end = message.rfind(kThinkEnd);
  return end == message.npos ? message : message.substr(end + kThinkEnd.size());
}

// The contents of the fenced blocks. A block without a closing fence was cut off, so its code is
// incomplete and left out.
std::vector<std::string_view> BlocksOf(std::string_view message) {
  std::vector<std::string_view> blocks;
  std::size_t at = message.find(kFence);
  while (at != message.npos) {
    const std::size_t line_end = message.find('\n', at);
    if (line_end == message.npos) break;
    const std::size_t close = message.find("\n```", line_end);
    if (close == message.npos) break;
    blocks.push_back(message.substr(line_end + 1, close - line_end));
    at = message.find(kFence, close + 1 + kFence.size());
  }
  return blocks;
}

bool DefinesModel(std::string_view code) { return code.find(kModel) != code.npos; }

}  // namespace

std::optional<std::string> FindCandidateCode(std::string_view message) {
  message = WithoutReasoning(message);
  if (message.find(kFence) == message.npos) {
    return DefinesModel(message) ? std::optional<std::string>(message) : std::nullopt;
  }
  const std::vector<std::string_view> blocks = BlocksOf(message);
  for (const std::string_view block : blocks) {
    if (DefinesModel(block)) return std::string(block);
  }
  return blocks.empty() ? std::nullopt : std::optional<std::string>(blocks.front());
}

std::int64_t CountCandidates(std::string_view message) {
  std::set<std::string_view> candidates;
  for (const std::string_view block : BlocksOf(WithoutReasoning(message))) {
    if (DefinesModel(block)) candidates.insert(block);
  }
  return static_cast<std::int64_t>(candidates.size());
}

std::optional<std::string> CodeOfSample(const Sample& sample) {
  return sample.code_only ? std::optional(sample.message) : FindCandidateCode(sample.message);
}

}  // namespace kernelmill
