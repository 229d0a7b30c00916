// The flags of clang for everything that runs kernels on the CPU, and the paths under which the
// compiler's sandbox shows what is compiled. CudaToolchain puts them together.
#pragma once

#include <string>
#include <vector>

#include "stages/verify/build/extension_cache.h"

namespace kernelmill {

inline constexpr char kTorch[] = "/km/torch";
inline constexpr char kPrelude[] = "/km/prelude";
inline constexpr char kRuntime[] = "/km/runtime";
inline constexpr char kObjects[] = "/km/objects";
// Include paths start at the root of the checkout.
inline constexpr char kExecutor[] = "/km/root/stages/cuda_executor";
// The executor and its Python module are one library, so that it can hide what only they share.
inline constexpr char kExecutorLibrary[] = "km_cuda.so";
// Where torch's loader puts the sources of an extension of that name: what __FILE__ says must not
// tell the builds here from those with a device.
inline constexpr char kSourcesRoot[] = "/tmp/.cache/torch_extensions/py311_cu126/";
// The flag that gives files without a folder this one.
std::string SourceFolderFlag(const std::string& extension);

// For all sources in C++.
std::vector<std::string> LanguageFlags();
// For precompiled headers.
const std::vector<std::string>& PrecompiledFlags();
// Those that instrument kernels.
std::vector<std::string> KindFlags(BuildKind kind);
// For candidates' own sources.
const std::vector<std::string>& CandidateFlags();
// For candidates' libraries.
std::vector<std::string> LinkFlags(BuildKind kind);
std::vector<std::string> TorchIncludes();
std::vector<std::string> CudaIncludes();
// Before CudaIncludes(), whose headers of the same names declare less.
std::vector<std::string> VendorIncludes();
// For clang's CUDA mode.
std::vector<std::string> CudaModeFlags();

}  // namespace kernelmill
