#include "generators/grounding/sentence_pattern.h"

#include <algorithm>

#include "manifests/ascii.h"

namespace kernelmill {
namespace {

// The line without what stands before the text of a list item, heading or titled paragraph.
std::string_view WithoutMark(std::string_view line) {
  while (line.starts_with(' ') || line.starts_with('#')) line.remove_prefix(1);
  if (line.starts_with("- ") || line.starts_with("* ")) line.remove_prefix(2);
  std::size_t digits = 0;
  while (digits < line.size() && IsDigit(line[digits])) ++digits;
  if (digits > 0 && line.substr(digits).starts_with(". ")) line.remove_prefix(digits + 2);
  // "**Index mapping.** In `k`, …"
  if (line.starts_with("**")) {
    const std::size_t end = line.find("**", 2);
    line = end == line.npos ? line.substr(2) : line.substr(end + 2);
    while (line.starts_with(' ')) line.remove_prefix(1);
  }
  return line;
}

std::vector<std::string> SentencesIn(std::string_view line) {
  std::vector<std::string> sentences;
  bool code = false;
  std::size_t start = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '`') code = !code;
    const bool stop = !code && line[at] == '.' && (at + 1 == line.size() || line[at + 1] == ' ');
    if (!stop && at + 1 < line.size()) continue;
    std::string_view sentence = line.substr(start, at + 1 - start);
    while (sentence.starts_with(' ')) sentence.remove_prefix(1);
    if (!sentence.empty()) sentences.emplace_back(sentence);
    start = at + 1;
  }
  return sentences;
}

}  // namespace

std::optional<Slots> MatchSentence(std::string_view pattern, std::string_view sentence) {
  Slots slots;
  while (!pattern.empty()) {
    if (pattern[0] != '{') {
      const std::size_t end = std::min(pattern.find('{'), pattern.size());
      if (!sentence.starts_with(pattern.substr(0, end))) return std::nullopt;
      sentence.remove_prefix(end);
      pattern.remove_prefix(end);
      continue;
    }
    const std::size_t close = pattern.find('}');
    const std::string name(pattern.substr(1, close - 1));
    pattern.remove_prefix(close + 1);
    const std::string_view next = pattern.substr(0, std::min(pattern.find('{'), pattern.size()));
    // The last text of a pattern ends the sentence.
    const std::size_t at =
        next.size() == pattern.size()
            ? (sentence.ends_with(next) ? sentence.size() - next.size() : sentence.npos)
            : sentence.find(next);
    if (at == sentence.npos || at == 0) return std::nullopt;
    slots[name] = std::string(sentence.substr(0, at));
    sentence.remove_prefix(at);
  }
  if (!sentence.empty()) return std::nullopt;
  return slots;
}

std::vector<std::vector<std::string>> ParagraphsOf(std::string_view markdown) {
  std::vector<std::vector<std::string>> paragraphs;
  std::string_view fence;
  for (std::size_t start = 0; start < markdown.size();) {
    const std::size_t end = std::min(markdown.find('\n', start), markdown.size());
    const std::string_view line = markdown.substr(start, end - start);
    start = end + 1;
    const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
    if (fence.empty() && ticks >= 3) {
      fence = line.substr(0, ticks);
    } else if (!fence.empty()) {
      if (line == fence) fence = {};
    } else if (line.starts_with('|')) {
      paragraphs.push_back({std::string(line)});
    } else if (std::vector<std::string> sentences = SentencesIn(WithoutMark(line));
               !sentences.empty()) {
      paragraphs.push_back(std::move(sentences));
    }
  }
  return paragraphs;
}

std::vector<std::string> NamesInList(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    if (list == "…") return names;
    const std::size_t end = list.starts_with('`') ? list.find('`', 1) : list.npos;
    if (end == list.npos) return {};
    names.emplace_back(list.substr(1, end - 1));
    list.remove_prefix(end + 1);
    for (const std::string_view between : {", ", " and "}) {
      if (list.starts_with(between)) {
        list.remove_prefix(between.size());
        break;
      }
    }
    if (!list.empty() && list[0] != '`' && list != "…") return {};
  }
  return names;
}

}  // namespace kernelmill
