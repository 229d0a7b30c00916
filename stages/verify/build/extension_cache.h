// The cache of built extensions and of the runtimes that they are built against, for
// BuildExtension() (extension_build.h) and DeviceCompiler; cpu_judge opens it. It is a folder whose
// entries are named by the hash of everything that made them, so several processes may use it at
// once, and no entry is ever out of date. It is kept below 8 GB; the least recently used entries
// are removed first. It may be deleted at any time. Runtime() and Entry() build what the cache
// lacks.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

class CudaToolchain;

// How the kernels are instrumented.
enum class BuildKind {
  // For verdicts. Faults that a signal reports (a bad pointer, a division by zero) have no line in
  // this kind, because lines would make every build a quarter longer; the other kinds have them.
  kPlain,
  // Reports accesses outside of allocations, shared variables and arrays, use after free,
  // misaligned vector types and invalid shifts, each with its line. Runs 3 to 5 times slower.
  kMemory,
  // Reports data races, with the lines of both accesses. Runs 10 to 50 times slower.
  kRaces,
  // Counts the requests of warps to global and shared memory. Runs 10 to 50 times slower.
  kCounts,
};

// The headers and libraries that kernels are compiled against and run on. A runtime is built once
// for each set of headers, compiler, torch and kind of build.
struct CudaRuntime {
  BuildKind kind = BuildKind::kPlain;
  std::filesystem::path folder;  // Holds km_cuda.so and precompiled headers.
  std::filesystem::path python_folder;  // Must be first in sys.path for `import km_cuda`.
  // Environment variables that a process needs at its start to import km_cuda.
  std::vector<std::pair<std::string, std::string>> environment;
  std::filesystem::path prelude;  // torch's headers, precompiled.
  std::string key;                // Identifies everything that it was built from.
};

class ExtensionCache {
 public:
  // Creates `folder` if it does not exist. The checkout's own cache is DefaultFolder().
  static Result<ExtensionCache> Open(const std::filesystem::path& folder);
  // .cache/extensions below the checkout.
  static std::filesystem::path DefaultFolder();

  // Builds the runtime unless the cache has it, which takes a minute or two, or waits for the
  // process that is building it. kEnvironment if clang, its linker or torch is missing.
  Result<CudaRuntime> Runtime(BuildKind kind = BuildKind::kPlain) const;

  // The hash of everything that runtimes of all kinds are built from. Builds nothing.
  Result<std::string> SourcesKey() const;

  // The folder of the entry `name`. If it does not exist, `build` fills it; only one process builds
  // it at a time.
  Result<std::filesystem::path> Entry(
      const std::string& name,
      const std::function<Status(const std::filesystem::path&)>& build) const;

  const std::filesystem::path& folder() const { return folder_; }
  const CudaToolchain& toolchain() const { return *toolchain_; }

  // NewFolder() returns an empty folder for a new entry; Publish() renames the finished folder to
  // the entry.
  Result<std::filesystem::path> NewFolder() const;
  Status Publish(const std::filesystem::path& built, const std::filesystem::path& entry) const;

 private:
  std::filesystem::path folder_;
  std::shared_ptr<const CudaToolchain> toolchain_;
};

}  // namespace kernelmill
