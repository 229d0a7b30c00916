// The interface of a fuzz target: each file *_fuzz.cc defines both functions. libFuzzer's entry
// points are in fuzzer.cc.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {

// Reads `bytes`, which may be anything. A defect shows as a crash, a sanitizer's report, or a
// broken KM_PROMISE.
void Fuzz(std::string_view bytes);
// Inputs that the reader accepts, made by the product's own writers if there are any.
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
