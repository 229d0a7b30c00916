#include "parsers/samples/message_code.h"

#include <set>
#include <vector>

#include "parsers/samples/fenced_text.h"

namespace kernelmill {
namespace {

constexpr std::string_view kFence = "```";
constexpr std::string_view kThinkEnd = "</think>";
constexpr std::string_view kModel = "class ModelNew";

std::string_view WithoutReasoning(std::string_view message) {
  const std::size_t end = message.rfind(kThinkEnd);
  return end == message.npos ? message : message.substr(end + kThinkEnd.size());
}

bool DefinesModel(std::string_view code) { return code.find(kModel) != code.npos; }

}  // namespace

std::optional<std::string> FindCandidateCode(std::string_view message) {
  message = WithoutReasoning(message);
  if (message.find(kFence) == message.npos) {
    return DefinesModel(message) ? std::optional<std::string>(message) : std::nullopt;
  }
  const std::vector<std::string_view> blocks = SplitFences(message).blocks;
  for (const std::string_view block : blocks) {
    if (DefinesModel(block)) return std::string(block);
  }
  return blocks.empty() ? std::nullopt : std::optional<std::string>(blocks.front());
}

std::int64_t CountCandidates(std::string_view message) {
  std::set<std::string_view> candidates;
  for (const std::string_view block : SplitFences(WithoutReasoning(message)).blocks) {
    if (DefinesModel(block)) candidates.insert(block);
  }
  return static_cast<std::int64_t>(candidates.size());
}

std::optional<std::string> CodeOfSample(const Sample& sample) {
  return sample.code_only ? std::optional(sample.message) : FindCandidateCode(sample.message);
}

}  // namespace kernelmill
