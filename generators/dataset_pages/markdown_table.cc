#include "generators/dataset_pages/markdown_table.h"

#include "generators/dataset_pages/markup.h"
#include "generators/wording/number_format.h"

namespace kernelmill {

std::string TableRow(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

std::string TableHead(const std::vector<std::string>& titles, std::string_view alignment) {
  std::string line = "|";
  for (const char side : alignment) line += side == 'r' ? " ---: |" : " --- |";
  return TableRow(titles) + line + "\n";
}

std::string CountList(const Counts& counts) {
  std::string text;
  for (const auto& [name, count] : Ranked(counts)) {
    text += (text.empty() ? "" : ", ") + MarkdownText(name) + " " + Grouped(count);
  }
  return text.empty() ? "none" : text;
}

std::string ValueList(const Distribution& values) {
  std::string text;
  for (const auto& [value, count] : values.counts()) {
    text += (text.empty() ? "" : ", ") + std::to_string(value) + ": " + Grouped(count);
  }
  return text.empty() ? "none" : text;
}

}  // namespace kernelmill
