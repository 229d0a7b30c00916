#include "parsers/samples/fenced_text.h"

namespace kernelmill {

FencedText SplitFences(std::string_view message) {
  constexpr std::string_view kFence = "```", kClosing = "\n```";
  FencedText result;
  for (;;) {
    const std::size_t open = message.find(kFence);
    result.prose += message.substr(0, open);
    if (open == message.npos) return result;
    const std::size_t line_end = message.find('\n', open);
    if (line_end == message.npos) return result;
    const std::size_t close = message.find(kClosing, line_end);
    if (close == message.npos) return result;
    result.blocks.push_back(message.substr(line_end + 1, close - line_end));
    result.prose += '\n';
    message.remove_prefix(close + kClosing.size());
  }
}

}  // namespace kernelmill
