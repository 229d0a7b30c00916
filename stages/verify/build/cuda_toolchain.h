// Compiles with clang everything that runs kernels on the CPU: the precompiled headers, the runtime
// (stages/cuda_executor) and the libraries of candidates, with one set of flags. ExtensionCache
// calls it for what the cache lacks, BuildExtension() for a candidate's library. Everything is
// compiled inside the compiler's sandbox, from its named inputs alone.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "manifests/status.h"
#include "stages/verify/build/compiler_sandbox.h"
#include "stages/verify/build/extension_cache.h"

namespace kernelmill {

// What a candidate's library is compiled and linked with.
struct LibraryChoice {
  bool vendor_libraries = false;  // Its sources find the headers of vendors' libraries.
  bool contracts = true;          // A product and a sum may become one operation.
};

// A source in a folder, and the extension that it is of.
struct NamedUnit {
  std::string name, extension;
};

class CudaToolchain {
 public:
  // Finds clang and the torch of the checkout's .venv. kEnvironment if one is missing.
  static Result<CudaToolchain> Find();

  // Environment variables that a process needs at its start to load libraries of this kind.
  static std::vector<std::pair<std::string, std::string>> Environment(BuildKind kind);

  const std::filesystem::path& torch_folder() const { return torch_; }

  // Hexadecimal cache keys of the prelude, the objects and the runtime. They depend on contents,
  // never on times or paths. Each contains the one before it.
  Result<std::string> PreludeKey() const;
  Result<std::string> ObjectsKey(const std::string& prelude) const;
  static std::string RuntimeKey(BuildKind kind, const std::string& objects);

  // Precompiles torch's headers, and compiles their inline functions, into an empty `folder`; also
  // those that the executor's own files include.
  Status BuildPrelude(const std::filesystem::path& folder) const;
  // Compiles the executor's own files for all kinds, into objects.
  Status BuildObjects(const std::filesystem::path& prelude,
                      const std::filesystem::path& folder) const;
  // Precompiles our own headers on top of torch's, and links km_cuda.so from `objects` and from what
  // is compiled for this kind alone.
  Status BuildRuntime(BuildKind kind, const std::filesystem::path& prelude,
                      const std::filesystem::path& objects,
                      const std::filesystem::path& folder) const;
  // Compiles and links `sources` (names in `folder`) into folder/extension.so.
  Result<CompilerRun> BuildLibrary(const CudaRuntime& runtime, const std::filesystem::path& folder,
                                   const std::vector<NamedUnit>& sources,
                                   const LibraryChoice& choice) const;

  // Compiles `source` (a name in `folder`) in clang's CUDA mode, for what the host's and the
  // device's code may use of each other, and writes the device's code to folder/device.ll.
  // `runtime` is of the plain kind. `language`: as -std= names it.
  Result<CompilerRun> CompileInCudaMode(const CudaRuntime& runtime,
                                        const std::filesystem::path& folder,
                                        const NamedUnit& source, const std::string& language) const;

  // Expands the macros of `source` as the host's compiler does, without headers of the system, into
  // folder/host.ii.
  Result<CompilerRun> ExpandForHost(const std::filesystem::path& folder,
                                    const NamedUnit& source) const;

 private:
  // Compiles files of the executor, some on each core, into objects in `folder`.
  Status CompileExecutor(const std::filesystem::path& prelude, const std::filesystem::path& folder,
                         const std::vector<std::string>& sources, BuildKind kind) const;
  // The parts of BuildRuntime(): the precompiled header of candidates, km_cuda.so, and the
  // precompiled header of clang's CUDA mode.
  Status BuildHeaders(BuildKind kind, const std::filesystem::path& prelude,
                      const std::filesystem::path& folder) const;
  Status BuildExecutor(BuildKind kind, const std::filesystem::path& prelude,
                       const std::filesystem::path& objects,
                       const std::filesystem::path& folder) const;
  Status BuildCudaMode(const std::filesystem::path& folder) const;
  std::vector<std::string> RuntimeFlags() const;

  std::filesystem::path executor_;  // stages/cuda_executor.
  std::filesystem::path torch_;   // The package's folder.
  std::string python_;            // "python3.11", as its headers' folder is called.
  std::string versions_;
};

}  // namespace kernelmill
