// Implements printf() for an extension. In a kernel its result is the number of arguments behind
// the format, or -1 without a format (CUDA guide, "Formatted Output"), and not that of characters.
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "stages/cuda_executor/runtime/block.h"

namespace kernelmill {
namespace {

int ArgumentsOf(const char* format) {
  int count = 0;
  while ((format = std::strchr(format, '%')) != nullptr) {
    ++format;
    // Flags, width and precision, either of which may be an argument, and the size of the type.
    while (*format != '\0' && std::strchr("-+ #0123456789.*hlLqjzt", *format) != nullptr) {
      if (*format++ == '*') ++count;
    }
    if (*format == '\0') break;
    if (*format++ != '%') ++count;
  }
  return count;
}

}  // namespace
}  // namespace kernelmill

extern "C" int __wrap_printf(const char* format, ...) {
  const bool in_kernel = kernelmill::CurrentBlock().running();
  if (in_kernel && format == nullptr) return -1;
  va_list arguments;
  va_start(arguments, format);
  const int characters = std::vprintf(format, arguments);
  va_end(arguments);
  return in_kernel ? kernelmill::ArgumentsOf(format) : characters;
}
