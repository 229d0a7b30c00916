#include "generators/line_changes.h"

#include <algorithm>
#include <cstdint>

namespace kernelmill {
namespace {

constexpr std::size_t kMostCells = 4'000'000;

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

std::vector<LineChange> LineChanges(std::string_view before, std::string_view after) {
  const std::vector<std::string_view> a = LinesOf(before), b = LinesOf(after);
  std::size_t head = 0, tail = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  while (tail < a.size() - head && tail < b.size() - head &&
         a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) {
    ++tail;
  }
  const std::size_t rows = a.size() - head - tail, columns = b.size() - head - tail;
  // Of a[head + i …] and b[head + j …] the most lines in common.
  const bool compared = (rows + 1) * (columns + 1) <= kMostCells;
  std::vector<std::uint32_t> common(compared ? (rows + 1) * (columns + 1) : 0);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& {
    return common[i * (columns + 1) + j];
  };
  for (std::size_t i = compared ? rows : 0; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      at(i, j) =
          a[head + i] == b[head + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  std::vector<LineChange> changes;
  bool open = false;
  const auto change = [&](std::size_t i) -> LineChange& {
    if (!open) changes.push_back({head + i, {}, {}});
    open = true;
    return changes.back();
  };
  for (std::size_t i = 0, j = 0; i < rows || j < columns;) {
    if (compared && i < rows && j < columns && a[head + i] == b[head + j]) {
      open = false;
      ++i;
      ++j;
    } else if (i < rows && (j == columns || !compared || at(i + 1, j) >= at(i, j + 1))) {
      LineChange& now = change(i);
      if (now.was.empty()) now.line = head + i + 1;
      now.was.emplace_back(a[head + i++]);
    } else {
      change(i).is.emplace_back(b[head + j++]);
    }
  }
  return changes;
}

}  // namespace kernelmill
