#include "generators/wording/voice.h"

#include <algorithm>

#include "generators/wording/lexicon.h"

namespace kernelmill {
namespace {

// Of the group whose bracket opens at `at` its items, and where it closes; no items where what
// stands in brackets is no choice.
std::vector<std::string_view> ItemsOf(std::string_view pattern, std::size_t at, std::size_t* end) {
  std::vector<std::string_view> items;
  int depth = 0;
  std::size_t start = at + 1;
  for (std::size_t i = at; i < pattern.size(); ++i) {
    if (pattern[i] == '[') ++depth;
    if (pattern[i] == '|' && depth == 1) {
      items.push_back(pattern.substr(start, i - start));
      start = i + 1;
    }
    if (pattern[i] != ']' || --depth > 0) continue;
    if (!items.empty()) items.push_back(pattern.substr(start, i - start));
    *end = i + 1;
    return items;
  }
  return {};
}

}  // namespace

std::string Voice::Choose(std::string_view pattern) {
  std::string chosen;
  for (std::size_t at = 0; at < pattern.size();) {
    std::size_t end = at;
    const auto items = pattern[at] == '[' ? ItemsOf(pattern, at, &end)
                                          : std::vector<std::string_view>();
    if (items.empty()) {
      chosen += pattern[at++];
      continue;
    }
    chosen += Choose(items[Index(items.size())]);
    at = end;
  }
  return chosen;
}

std::string Voice::Say(const SentenceVariants& variants, const SentenceValues& values) {
  const std::string pattern = InVocabularyOf(wording_, Choose(variants[Index(variants.size())]));
  std::string said = Fill(pattern, values);
  // A sentence can begin with a value: "the kernel".
  if (pattern.starts_with('{') && said.starts_with("the ")) said[0] = 'T';
  return said;
}

}  // namespace kernelmill
