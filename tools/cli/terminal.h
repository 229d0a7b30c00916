// What a standard stream can show: whether it is a terminal, how wide it is, and its colours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kernelmill {

enum class Ink { kHeading, kGood, kBad, kFaint };

struct Terminal {
  bool is_terminal = false;
  // Never for a pipe or a file, nor when NO_COLOR is set (https://no-color.org) or TERM is "dumb".
  bool has_colours = false;
  std::size_t columns = 80;  // 80 where the stream does not say.

  // Of a file descriptor: STDOUT_FILENO or STDERR_FILENO.
  static Terminal Of(int descriptor);

  // `text`, which has to be printable, in a colour where there are colours.
  std::string Painted(Ink ink, std::string_view text) const;
};

}  // namespace kernelmill
