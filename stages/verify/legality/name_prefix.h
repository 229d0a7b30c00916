#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace kernelmill {

// Whether a name begins with one of `prefixes`, a range of texts.
template <typename Prefixes>
bool StartsWithAny(std::string_view name, const Prefixes& prefixes) {
  return std::any_of(std::begin(prefixes), std::end(prefixes),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace kernelmill
