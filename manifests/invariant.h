// KM_CHECK(condition, message): ends the program where an invariant of ours is broken, in a
// function that returns neither Status nor Result. Others return ErrorCode::kInternal, which ends
// the run in order. Bad input is never a broken invariant: it is a Status or a record
// (manifests/status.h).
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace kernelmill {

[[noreturn]] inline void FailInvariant(const char* file, int line, const std::string& message) {
  std::fprintf(stderr, "kernelmill: a broken invariant at %s:%d: %s; please report it\n", file,
               line, message.c_str());
  std::abort();
}

}  // namespace kernelmill

#define KM_CHECK(condition, message)                                            \
  do {                                                                          \
    if (!(condition)) ::kernelmill::FailInvariant(__FILE__, __LINE__, message); \
  } while (false)
