// What some editors and tables put before a text's first character. It says nothing, and is neither
// JSON nor Python.
#pragma once

#include <string_view>

namespace kernelmill {

inline std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return text;
}

}  // namespace kernelmill
