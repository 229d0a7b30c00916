// Everything that nvcc gives to a source without an #include, and cuda_runtime.h.
#pragma once

#include <kernelmill/qualifiers.h>
#include <kernelmill/vector_types.h>
#include <kernelmill/executor.h>
#include <kernelmill/warp.h>
#include <kernelmill/device_math.h>
#include <kernelmill/half.h>
#include <kernelmill/atomics.h>
#include <kernelmill/runtime_api.h>

#include <cassert>

// A failed assert in a kernel ends the launch, in host code the process, as in CUDA.
#undef assert
#ifdef NDEBUG
#define assert(condition) static_cast<void>(0)
#else
#define assert(condition)                                                       \
  ((condition) ? static_cast<void>(0)                                           \
               : ::kernelmill::Trap("assert", "assertion failed: " #condition,  \
                                    ::kernelmill::Site{__FILE__, __LINE__}))
#endif
