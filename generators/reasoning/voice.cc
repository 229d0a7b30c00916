#include "generators/reasoning/voice.h"

#include <algorithm>

namespace kernelmill {

std::string Voice::Say(const SentenceVariants& variants, const SentenceValues& values) {
  std::string_view pattern = variants[Index(variants.size())];
  std::string chosen;
  for (;;) {
    const std::size_t open = pattern.find('[');
    chosen += pattern.substr(0, open);
    if (open == pattern.npos) return Fill(chosen, values);
    pattern.remove_prefix(open + 1);
    const std::size_t close = std::min(pattern.find(']'), pattern.size());
    const std::string_view group = pattern.substr(0, close);
    const auto items = static_cast<std::size_t>(std::count(group.begin(), group.end(), '|')) + 1;
    std::string_view rest = group;
    for (std::size_t skip = Index(items); skip > 0; --skip) {
      rest.remove_prefix(rest.find('|') + 1);
    }
    chosen += rest.substr(0, rest.find('|'));
    pattern.remove_prefix(std::min(close + 1, pattern.size()));
  }
}

}  // namespace kernelmill
