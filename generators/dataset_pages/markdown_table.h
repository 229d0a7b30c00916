// Tables and lists of counts in Markdown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/statistics/distribution.h"

namespace kernelmill {

// A table row; the cells are Markdown already.
std::string TableRow(const std::vector<std::string>& cells);
// `alignment`: one of "lr" a column.
std::string TableHead(const std::vector<std::string>& titles, std::string_view alignment);

// "float32 2, bfloat16 1", the most frequent first; "none".
std::string CountList(const Counts& counts);
// "1: 20, 2: 3", in the order of the values; "none".
std::string ValueList(const Distribution& values);

}  // namespace kernelmill
