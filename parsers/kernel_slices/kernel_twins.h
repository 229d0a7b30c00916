// Pairs the CUDA kernels of a repository with the versions of them that it holds for another
// platform: mmcv has `cuda/nms_cuda_kernel.cuh` beside `musa/nms_musa_kernel.muh`. The step
// "index_ports" lists the pairs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/kernel_backend.h"
#include "parsers/kernel_slices/native_index.h"

namespace kernelmill {

// The text with "cuda", "CUDA" and "Cuda" replaced by the backend's name in the same letters.
std::string RespelledFor(const KernelBackend& backend, std::string_view text);

// The paths at which the version of a CUDA file for `backend` may lie, most specific first.
std::vector<std::string> TwinPaths(std::string_view path, const KernelBackend& backend);

// The definition of a CUDA kernel, and that of its version for another platform.
struct KernelTwins {
  FunctionPlace kernel, port;
  const KernelBackend* backend = nullptr;  // The platform of `port`.
};

// In the order of files and definitions. Kernels are twins if their files are, and their names are
// the same but for the platform's name. Overloads are twins in their order, if there are as many in
// both files.
std::vector<KernelTwins> FindKernelTwins(const NativeIndex& index);

}  // namespace kernelmill
