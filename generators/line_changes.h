// Where two texts differ, line by line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {

// Lines of one text that stand in place of lines of the other.
struct LineChange {
  std::size_t line = 0;  // Of the first text, from 1; where none goes, the line in front of it.
  std::vector<std::string> was, is;
};

// The fewest changes that make `after` of `before`, in order. Texts of which more than a few
// thousand lines differ have one change.
std::vector<LineChange> LineChanges(std::string_view before, std::string_view after);

}  // namespace kernelmill
