#include "generators/wording/sentence_writer.h"

#include <algorithm>

namespace kernelmill {
namespace {

// The items of the group whose bracket opens at `at`, with `*end` set to one past its closing
// bracket. Empty when the brackets contain no bar and thus are no group.
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

std::string FillPlaceholders(std::string_view pattern, const SentenceValues& values) {
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

std::string SentenceWriter::Choose(std::string_view pattern) {
  std::string chosen;
  for (std::size_t at = 0; at < pattern.size();) {
    std::size_t end = at;
    const auto items =
        pattern[at] == '[' ? ItemsOf(pattern, at, &end) : std::vector<std::string_view>();
    if (items.empty()) {
      chosen += pattern[at++];
      continue;
    }
    chosen += Choose(items[Index(items.size())]);
    at = end;
  }
  return chosen;
}

std::string SentenceWriter::Say(const SentenceVariants& variants, const SentenceValues& values) {
  const std::string pattern = Choose(variants[Index(variants.size())]);
  std::string said = FillPlaceholders(pattern, values);
  // A sentence can begin with a value: "the kernel".
  if (pattern.starts_with('{') && said.starts_with("the ")) said[0] = 'T';
  return said;
}

}  // namespace kernelmill
