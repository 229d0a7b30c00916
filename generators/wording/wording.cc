#include "generators/wording/wording.h"

#include <algorithm>

namespace kernelmill {

std::string Fill(std::string_view pattern,
                 const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string text;
  for (;;) {
    const auto open = pattern.find('{');
    text += pattern.substr(0, open);
    if (open == std::string_view::npos) return text;
    pattern.remove_prefix(open + 1);
    const auto close = pattern.find('}');
    const std::string_view name = pattern.substr(0, close);
    const auto value = std::find_if(values.begin(), values.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    if (close == std::string_view::npos || value == values.end()) {
      text += '{';
      continue;
    }
    text += value->second;
    pattern.remove_prefix(close + 1);
  }
}

std::string Capital(std::string_view text) {
  std::string capital(text);
  if (!capital.empty() && capital[0] >= 'a' && capital[0] <= 'z') capital[0] -= 'a' - 'A';
  return capital;
}

std::string Listed(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

}  // namespace kernelmill
