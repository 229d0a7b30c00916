// Defines the keywords that CUDA adds to C++ (__global__, __device__ …), so that clang compiles a
// candidate for the executor as ordinary C++. Launches, `__shared__`, `__noinline__` and variables
// of the device are handled by the rewrite (parsers/cuda_rewrite.h); a `__shared__` that it could
// not see becomes ordinary storage that no block owns, and a `__device__` variable one that host
// code may access too.
#pragma once

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __shared__ static
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
#define __CUDA_ARCH__ 800
#define __CUDA_ARCH_LIST__ 800
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 6
#define CUDART_VERSION 12060
#define CUDA_VERSION 12060
