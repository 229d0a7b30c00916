// A fuzzer reads bytes that anybody may have made. Each file *_fuzz.cc defines the two functions;
// libFuzzer's entry points are in fuzzer.cc.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {

// Reads `bytes`; a defect is a crash, a sanitizer's finding, or a broken KM_PROMISE.
void Fuzz(std::string_view bytes);
// Inputs that the reader accepts, made by the writers of the product where there are any.
std::vector<std::string> Seeds();

}  // namespace kernelmill

// Ends the program, and so fails the fuzzer, unless `condition` holds.
#define KM_PROMISE(condition)                                                      \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                \
    }                                                                              \
  } while (false)
