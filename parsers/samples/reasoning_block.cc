#include "parsers/samples/reasoning_block.h"

#include <string_view>

namespace kernelmill {
namespace {

constexpr std::string_view kOpen = "<think>", kClose = "</think>", kSpace = " \t\r\n";

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

void AddReasoning(std::string_view text, ModelSample* sample) {
  text = Trimmed(text);
  if (text.starts_with(kOpen)) text = Trimmed(text.substr(kOpen.size()));
  if (!sample->reasoning.empty() && !text.empty()) sample->reasoning += "\n\n";
  sample->reasoning += text;
}

}  // namespace

void SetMessage(std::string text, ModelSample* sample) {
  const std::size_t close = text.rfind(kClose);
  if (close != text.npos) {
    AddReasoning(std::string_view(text).substr(0, close), sample);
    const std::size_t begin = text.find_first_not_of(kSpace, close + kClose.size());
    sample->message = begin == text.npos ? "" : text.substr(begin);
  } else if (Trimmed(text).starts_with(kOpen)) {
    AddReasoning(text, sample);
    sample->reasoning_cut = true;
    sample->message.clear();
  } else {
    sample->message = std::move(text);
  }
}

}  // namespace kernelmill
