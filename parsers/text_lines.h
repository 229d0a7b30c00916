// Splits a text into its lines, as views without the line breaks.
#pragma once

#include <string_view>
#include <vector>

namespace kernelmill {

// Line breaks are left out, and one at the very end does not begin another line. The lines point
// into `text`.
std::vector<std::string_view> LinesOf(std::string_view text);

}  // namespace kernelmill
