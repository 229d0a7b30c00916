// Finds out what standard output or standard error can show (whether it is a terminal, its width,
// its colours), and colours text for it: headings of the help, the verdicts of `verify`, the rows
// of `inspect`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kernelmill {

enum class Ink { kHeading, kGood, kBad, kFaint };

struct Terminal {
  bool is_terminal = false;
  // False for pipes and files, and when NO_COLOR is set (https://no-color.org) or TERM is "dumb".
  bool has_colours = false;
  std::size_t columns = 80;  // 80 if the stream does not tell.

  // `descriptor` is STDOUT_FILENO or STDERR_FILENO.
  static Terminal Of(int descriptor);

  // `text`, coloured if the stream has colours. The text must be printable.
  std::string Painted(Ink ink, std::string_view text) const;
};

}  // namespace kernelmill
