// Removes the UTF-8 byte order mark that some editors and spreadsheets put at the start of a text.
// Neither JSON nor Python's parser of strings accepts it.
#pragma once

#include <string_view>

namespace kernelmill {

inline std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return text;
}

}  // namespace kernelmill
