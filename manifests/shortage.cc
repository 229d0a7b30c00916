#include "manifests/shortage.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace kernelmill {
namespace {

constexpr std::array<int, 4> kShortages = {EMFILE, ENFILE, ENOMEM, EAGAIN};

}  // namespace

bool IsShortage(int error) {
  return std::find(kShortages.begin(), kShortages.end(), error) != kShortages.end();
}

bool NamesShortage(std::string_view text) {
  for (const int error : kShortages) {
    if (text.find(std::strerror(error)) != std::string_view::npos) return true;
  }
  // Python's and C++'s exceptions.
  return text.find("MemoryError") != std::string_view::npos ||
         text.find("bad_alloc") != std::string_view::npos;
}

std::string ShortageAdvice(int error) {
  const std::string again = ", and run the same command again";
  if (error == EMFILE)
    return "raise the limit on open files (ulimit -n), or use fewer --jobs" + again;
  if (error == ENFILE)
    return "raise the machine's limit on open files (sysctl fs.file-max)" + again;
  if (error == ENOMEM) return "free some memory, or use fewer --jobs" + again;
  return "raise the limit on processes (ulimit -u), or use fewer --jobs" + again;
}

}  // namespace kernelmill
