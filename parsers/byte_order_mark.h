// What some editors and tables put before a text. It says nothing, and neither JSON nor the source of
// a Python string may begin with it.
#pragma once

#include <string_view>

namespace kernelmill {

inline std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return text;
}

}  // namespace kernelmill
