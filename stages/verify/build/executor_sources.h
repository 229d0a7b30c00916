// The executor's own source files (stages/cuda_executor/runtime). Most are the same in every kind
// of build, and CudaToolchain compiles these once for all kinds; the others name the kind's macro.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manifests/status.h"
#include "stages/verify/build/extension_cache.h"

namespace kernelmill {

// The macro with which the executor's files are compiled for a kind; empty for kPlain.
const char* MacroOfKind(BuildKind kind);

// The files below a folder, relative to it, sorted by name.
Result<std::vector<std::filesystem::path>> FilesBelow(const std::filesystem::path& folder);

// The executor's source files, relative to `executor` (stages/cuda_executor). Their names differ
// without their folders too, because their objects lie in one folder; kInternal if not.
Result<std::vector<std::string>> ExecutorSources(const std::filesystem::path& executor);

// Whether a source file, or a header of the executor that it includes, directly or through others,
// names the kind's macro. Others give the same object for every kind. kInternal if a file includes
// one in quotes that does not exist.
Result<bool> DependsOnKind(const std::filesystem::path& executor, const std::string& source,
                           BuildKind kind);

}  // namespace kernelmill
