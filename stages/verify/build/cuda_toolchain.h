// How everything that runs kernels on the CPU is compiled: the flags, the precompiled headers and
// the runtime. Each entry is made from nothing but its inputs, inside the compiler's sandbox.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "manifests/status.h"
#include "stages/verify/build/compiler_sandbox.h"
#include "stages/verify/build/extension_cache.h"

namespace kernelmill {

class CudaToolchain {
 public:
  // What the machine has: clang, the torch of the checkout's .venv. kNotFound when one is missing.
  static Result<CudaToolchain> Find();

  // Variables that a process with such a library needs from its start.
  static std::vector<std::pair<std::string, std::string>> Environment(BuildKind kind);

  const std::filesystem::path& torch_folder() const { return torch_; }

  // Hexadecimal names for what would be built: they follow from contents, never from times or
  // paths.
  Result<std::string> PreludeKey() const;
  Result<std::string> RuntimeKey(BuildKind kind) const;

  // torch's headers, precompiled, and the code of their inline functions: into an empty `folder`.
  Status BuildPrelude(const std::filesystem::path& folder) const;
  // Our own headers on top of them, libkernelmill_cuda.so and km_cuda.so.
  Status BuildRuntime(BuildKind kind, const std::filesystem::path& prelude,
                      const std::filesystem::path& folder) const;
  // Compiles and links `sources` (names in `folder`) into folder/extension.so.
  Result<CompilerRun> BuildLibrary(const CudaRuntime& runtime, const std::filesystem::path& folder,
                                   const std::vector<std::string>& sources) const;

 private:
  std::filesystem::path device_;  // stages/cuda_executor.
  std::filesystem::path torch_;   // The package's folder.
  std::string python_;            // "python3.11", as its headers' folder is called.
  std::string versions_;
};

}  // namespace kernelmill
