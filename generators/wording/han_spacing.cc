#include "generators/wording/han_spacing.h"

#include <algorithm>

#include "manifests/ascii.h"

namespace kernelmill {
namespace {

bool IsLatin(char c) { return IsLetter(c) || IsDigit(c); }

std::string SpacedLine(std::string_view line) {
  std::string text;
  bool code = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (!code && c == ' ' && EndsInHan(text) && HanAt(line, at + 1)) continue;
    const bool opens = c == '`' && !code;
    if (!code && EndsInHan(text) && (opens || IsLatin(c))) text += ' ';
    const bool behind_latin = !text.empty() && (text.back() == '`' || IsLatin(text.back()));
    if (!code && HanAt(line, at) && behind_latin) text += ' ';
    if (c == '`') code = !code;
    text += c;
  }
  return text;
}

}  // namespace

bool HanAt(std::string_view text, std::size_t at) {
  return at + 3 <= text.size() && text[at] >= '\xe4' && text[at] <= '\xe9';
}

bool EndsInHan(std::string_view text) { return text.size() >= 3 && HanAt(text, text.size() - 3); }

std::string WithSpacesAroundLatin(std::string_view markdown) {
  std::string text;
  std::string_view fence;
  for (std::size_t start = 0; start <= markdown.size();) {
    const std::size_t end = std::min(markdown.find('\n', start), markdown.size());
    const std::string_view line = markdown.substr(start, end - start);
    const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
    const bool opens = fence.empty() && ticks >= 3;
    text += opens || !fence.empty() ? std::string(line) : SpacedLine(line);
    if (opens) {
      fence = line.substr(0, ticks);
    } else if (line == fence) {
      fence = {};
    }
    if (end < markdown.size()) text += '\n';
    start = end + 1;
  }
  return text;
}

}  // namespace kernelmill
