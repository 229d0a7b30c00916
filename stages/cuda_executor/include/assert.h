// A failed assert in a kernel ends the launch, as on a device. As the C library's header, this one
// may be included more than once: NDEBUG counts each time.
#include_next <assert.h>

#include <kernelmill/executor.h>

#undef assert
#ifdef NDEBUG
#define assert(condition) static_cast<void>(0)
#else
#define assert(condition)                                                      \
  ((condition) ? static_cast<void>(0)                                          \
               : ::kernelmill::Trap("assert", "assertion failed: " #condition, \
                                    ::kernelmill::Site{__FILE__, __LINE__}))
#endif
