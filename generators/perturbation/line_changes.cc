#include "generators/perturbation/line_changes.h"

#include <algorithm>
#include <cstdint>

#include "parsers/text_lines.h"

namespace kernelmill {
namespace {

// The largest table that is filled.
constexpr std::size_t kMostCells = 4'000'000;

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
  // common(i, j): the length of the longest common subsequence of a[head + i …] and b[head + j …].
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
