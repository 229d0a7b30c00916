// The names that the CUDA toolkit and the C++ library provide to device code, and the headers that
// declare them. The kernel slicer looks names up here that a repository does not define, and writes
// the #include lines of a slice from it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "corpora/kernel_backend.h"

namespace kernelmill {

// The header that declares `name`, a CUDA name; "" when the compiler declares it itself, and
// std::nullopt when the toolkit is not known to have it. A qualified name is written in full:
// "std::numeric_limits", "cooperative_groups::reduce".
std::optional<std::string_view> ToolkitHeaderOf(std::string_view name);

// Whether it is a built-in vector type, such as float4, uchar2 or dim3.
bool IsVectorType(std::string_view name);

// Whether it is a header of the toolkit or the C++ library that device code may include.
bool IsToolkitHeader(std::string_view header);

// The backend's header that corresponds to a CUDA header.
std::string_view HeaderNameFor(const KernelBackend& backend, std::string_view header);

// CUDA's name for a name of the backend's; "" where it has none: "cudaMalloc" for "musaMalloc".
std::string CudaNameOf(std::string_view name, const KernelBackend& backend);

}  // namespace kernelmill
