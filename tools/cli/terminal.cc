#include "tools/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace kernelmill {
namespace {

std::string_view Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string_view StartOf(Ink ink) {
  switch (ink) {
    case Ink::kHeading:
      return "\033[1m";
    case Ink::kGood:
      return "\033[32m";
    case Ink::kBad:
      return "\033[31m";
    case Ink::kFaint:
      return "\033[2m";
  }
  return "";
}

}  // namespace

Terminal Terminal::Of(int descriptor) {
  constexpr std::size_t kNarrowest = 40;
  Terminal terminal;
  terminal.is_terminal = isatty(descriptor) == 1;
  if (!terminal.is_terminal) return terminal;
  const std::string_view kind = Environment("TERM");
  terminal.has_colours = Environment("NO_COLOR").empty() && !kind.empty() && kind != "dumb";
  winsize size = {};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= kNarrowest) {
    terminal.columns = size.ws_col;
  }
  return terminal;
}

std::string Terminal::Painted(Ink ink, std::string_view text) const {
  if (!has_colours || text.empty()) return std::string(text);
  return std::string(StartOf(ink)).append(text).append("\033[0m");
}

}  // namespace kernelmill
