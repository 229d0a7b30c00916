// Replaces the C library's assert.h for kernels that run on the executor: a failed assert ends the
// launch, as on a device. Like the original, it may be included several times and obeys NDEBUG each
// time.
#include_next <assert.h>

#include <kernelmill/executor.h>

#undef assert
#ifdef NDEBUG
#define assert(condition) static_cast<void>(0)
#else
#define assert(condition)                                                      \
  ((condition) ? static_cast<void>(0)                                          \
               : ::kernelmill::Trap("assert", "assertion failed: " #condition, \
                                    ::kernelmill::Site{                         \
                                        ::kernelmill::NameInSources(__FILE__), __LINE__}))
#endif
