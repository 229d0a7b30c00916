// A line-by-line difference of two texts: here of a wrong answer and the correct one that it was
// made from, for the rows that show it (generators/task_rows/mutant_facts.h) and for their fact
// check.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {

// Lines of the first text that the second text replaces.
struct LineChange {
  // The first replaced line of the first text, from 1. For a pure insertion: the line before
  // it.
  std::size_t line = 0;
  std::vector<std::string> was, is;
};

// The smallest set of changes that turns `before` into `after`, in order of their lines. When more
// than a few thousand lines differ, the result is a single change.
std::vector<LineChange> LineChanges(std::string_view before, std::string_view after);

}  // namespace kernelmill
