// Defines the keywords that CUDA adds to C++ (__global__, __device__ …), so that clang compiles a
// candidate for the executor as ordinary C++. Launches, `__shared__`, `__noinline__` and variables
// of the device are handled by the rewrite (parsers/cuda_rewrite.h); a `__shared__` that it could
// not see becomes ordinary storage that no block owns. A variable of the device that it could not
// see keeps its `__device__`, which is an attribute that only functions may have: the compiler
// refuses it, because host code could access such a variable.
// In clang's CUDA mode (cuda_mode_prelude.h) the keywords are those that clang knows.
#pragma once

#ifdef KERNELMILL_CUDA_MODE
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __shared__ __attribute__((shared))
#else
// Of no effect without the flag that turns that hardening on.
#define KM_FUNCTIONS_ONLY __attribute__((no_speculative_load_hardening))
#define __global__
#define __device__ KM_FUNCTIONS_ONLY
#define __host__
#define __constant__ KM_FUNCTIONS_ONLY
#define __managed__ KM_FUNCTIONS_ONLY
#define __shared__ static
#define __CUDA_ARCH__ 800
#endif
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __cudart_builtin__
#define CUDART_CB

#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDA_ARCH_LIST__ 800
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 6
#define CUDART_VERSION 12060
#define CUDA_VERSION 12060
