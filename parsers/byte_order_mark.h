// Removes the UTF-8 byte order mark that some editors and spreadsheets put at the start of a text.
// Called on every file that a user supplies (tasks, references, candidates), because neither JSON
// nor Python's parser of strings accepts the mark.
#pragma once

#include <string_view>

namespace kernelmill {

inline std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return text;
}

}  // namespace kernelmill
