// The lines of a text.
#pragma once

#include <string_view>
#include <vector>

namespace kernelmill {

// Without their line breaks; a break at the very end begins no line. They point into `text`.
std::vector<std::string_view> LinesOf(std::string_view text);

}  // namespace kernelmill
