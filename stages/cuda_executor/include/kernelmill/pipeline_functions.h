// Implements CUDA's pipeline functions (__pipeline_memcpy_async, __pipeline_commit …) for kernels
// that run on the executor. A candidate gets it where it includes cuda_pipeline.h or
// cuda_pipeline_primitives.h.
#pragma once

#include <kernelmill/async_copy.h>

// Copies `size` bytes (4, 8 or 16), of which the last `zeros` become zero instead.
__attribute__((always_inline)) inline void __pipeline_memcpy_async(void* to, const void* from,
                                                                   std::size_t size,
                                                                   std::size_t zeros = 0,
                                                                   KM_HERE) {
  if ((size != 4 && size != 8 && size != 16) || zeros > size) {
    kernelmill::Trap("trap", "__pipeline_memcpy_async() copies 4, 8 or 16 bytes", KM_SITE);
  }
  kernelmill::BeginWholeCopy(to, from, size, size - zeros, KM_SITE);
}
inline void __pipeline_commit() { kernelmill::CommitCopies(); }
// Waits for all groups but the newest `left`.
__attribute__((always_inline)) inline void __pipeline_wait_prior(std::size_t left) {
  kernelmill::AwaitGroups(left);
}
