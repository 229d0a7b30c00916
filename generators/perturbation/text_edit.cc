#include "generators/perturbation/text_edit.h"

#include <algorithm>

namespace kernelmill {

TextEdit Replaced(const SyntaxNode& node, std::string text) {
  return {node.First(), node.Last(), std::move(text)};
}

TextEdit Inserted(std::size_t at, std::string text) { return {at, at, std::move(text)}; }

TextEdit ErasedStatement(const SyntaxNode& statement, std::string_view source) {
  TextEdit edit{statement.First(), statement.Last(), ""};
  std::size_t first = edit.first, last = edit.last;
  while (first > 0 && (source[first - 1] == ' ' || source[first - 1] == '\t')) --first;
  while (last < source.size() && (source[last] == ' ' || source[last] == '\t')) ++last;
  const bool comment = source.substr(last, 2) == "//" || source.substr(last, 1) == "#";
  if (comment) last = std::min(source.find('\n', last), source.size());
  const bool begins = first == 0 || source[first - 1] == '\n';
  if (begins && last < source.size() && source[last] == '\n') {
    edit.first = first;
    edit.last = last + 1;
  }
  return edit;
}

TextEdit ErasedItem(const std::vector<SyntaxNode>& items, std::size_t which) {
  if (which + 1 < items.size()) return {items[which].First(), items[which + 1].First(), ""};
  if (which > 0) return {items[which - 1].Last(), items[which].Last(), ""};
  return {items[which].First(), items[which].Last(), ""};
}

std::optional<std::string> WithEdits(std::string_view source, std::vector<TextEdit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const TextEdit& a, const TextEdit& b) {
    return std::pair(a.first, a.last) < std::pair(b.first, b.last);
  });
  std::string text;
  std::size_t at = 0;
  for (const TextEdit& edit : edits) {
    if (edit.first < at || edit.last < edit.first || edit.last > source.size()) return std::nullopt;
    text += source.substr(at, edit.first - at);
    text += edit.text;
    at = edit.last;
  }
  text += source.substr(at);
  if (text == source) return std::nullopt;
  return text;
}

}  // namespace kernelmill
