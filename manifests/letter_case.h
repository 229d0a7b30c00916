// Comparing names whose letter case says nothing: SPDX identifiers, operators.
#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

namespace kernelmill {

// Of ASCII letters.
inline bool SameInAnyCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

}  // namespace kernelmill
