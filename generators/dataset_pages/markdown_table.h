// Writes tables in Markdown, and counts as lists on one line, for the dataset card
// (dataset_card.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/statistics/distribution.h"

namespace kernelmill {

// One row of a table. The cells are Markdown.
std::string TableRow(const std::vector<std::string>& cells);
// The heading of a table. `alignment` has an "l" or "r" for each column.
std::string TableHead(const std::vector<std::string>& titles, std::string_view alignment);

// "float32 2, bfloat16 1", the most frequent first; "none" without counts.
std::string CountList(const Counts& counts);
// "1: 20, 2: 3", in the order of the values; "none" without values.
std::string ValueList(const Distribution& values);

}  // namespace kernelmill
