// Everything that cuda_prelude.h declares, for clang's CUDA mode, in which the compiler knows what
// is a kernel, what is the device's and what is the host's, as nvcc does: a kernel cannot call a
// function of the host or read its variables, only kernels can be launched, and host code cannot
// call a function of the device. CudaToolchain (stages/verify/build/cuda_toolchain.h) precompiles
// it once; a candidate's sources are checked with it as they are, without the rewrite.
//
// Here the target is this machine and not a device, so that sizes and headers are those of the
// build that runs. Functions of the C library and of the executor's headers count as both the
// host's and the device's: NVIDIA's compiler, which gets each kernel as well, knows better which of
// them a device has.
#pragma once

#undef __CUDA_ARCH__
#define KERNELMILL_CUDA_MODE

#pragma clang force_cuda_host_device begin
// The C library's own headers. Those of the C++ library include more, which must not become the
// device's.
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <math.h>
#include <stdlib.h>
// After stdlib.h, which it includes.
#include <mm_malloc.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <stdio.h>
#include <string.h>
#include <time.h>
#pragma clang force_cuda_host_device end

// What executor.h includes of the C++ library, and then that header itself, before a header of the
// library can include it by way of assert.h.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#pragma clang force_cuda_host_device begin
#include <kernelmill/qualifiers.h>

#include <kernelmill/executor.h>
#pragma clang force_cuda_host_device end

// Without __CUDACC__, because torch's headers would include CUDA's, but with torch's macros for
// functions of both sides.
#include <c10/macros/Macros.h>
#undef __CUDACC__
#undef __CUDA__
#include <torch_prelude.h>
// Otherwise clang instantiates these in every candidate, which takes a quarter of its time there.
#define KM_INSTANTIATE(type)                                                                       \
  template bool c10::SingleElementType<c10::TypeKind::type, c10::type>::equals(const c10::Type&)   \
      const;                                                                                       \
  template bool c10::SingleElementType<c10::TypeKind::type, c10::type>::hasFreeVariables() const;  \
  template at::ArrayRef<c10::TypePtr>                                                              \
  c10::SingleElementType<c10::TypeKind::type, c10::type>::containedTypes() const;
KM_INSTANTIATE(ListType)
KM_INSTANTIATE(FutureType)
KM_INSTANTIATE(AwaitType)
KM_INSTANTIATE(RRefType)
#undef KM_INSTANTIATE
#define __CUDACC__ 1
#define __CUDA__ 1
// What headers of include/ that candidates include by name include of the C++ library.
#include <complex>
#include <concepts>
#include <numbers>
#include <ratio>
#include <span>

#pragma clang force_cuda_host_device begin
#include <kernelmill/cooperative_groups.h>
#include <kernelmill/torch_cuda.h>
#include <kernelmill/torch_extension.h>
#include <math_constants.h>
#pragma clang force_cuda_host_device end

// What clang calls for <<<…>>>.
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared = 0,
                                     cudaStream_t stream = nullptr);

// The macros are those of the build that runs, so that both read the same code.
#define __CUDA_ARCH__ 800
#undef __CUDA__
