#include "stages/verify/candidate/message_code.h"

namespace kernelmill {
namespace {

constexpr std::string_view kFence = "```";
constexpr std::string_view kThinkEnd = "</think>";
constexpr std::string_view kModel = "class ModelNew";

}  // namespace

std::optional<std::string> FindCandidateCode(std::string_view message) {
  if (const std::size_t end = message.rfind(kThinkEnd); end != std::string_view::npos) {
    message.remove_prefix(end + kThinkEnd.size());
  }
  std::optional<std::string> first;
  std::size_t at = message.find(kFence);
  if (at == std::string_view::npos) {
    if (message.find(kModel) == std::string_view::npos) return std::nullopt;
    return std::string(message);
  }
  while (at != std::string_view::npos) {
    const std::size_t line_end = message.find('\n', at);
    if (line_end == std::string_view::npos) break;
    const std::size_t close = message.find("\n```", line_end);
    // A block without a closing fence was cut off, so its code is incomplete.
    if (close == std::string_view::npos) break;
    const std::string_view block = message.substr(line_end + 1, close - line_end);
    if (block.find(kModel) != std::string_view::npos) return std::string(block);
    if (!first) first = std::string(block);
    at = message.find(kFence, close + 1 + kFence.size());
  }
  return first;
}

}  // namespace kernelmill
