// Where extensions and what they are built against rest: a folder whose entries are named by the
// hash of all that made them, so that several processes may use it at once and nothing in it is
// ever out of date. It is kept below 8 GB, what was not used for longest goes first, and may be
// deleted at any time.
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
  // For verdicts. Faults that a signal tells of (a bad pointer, a division by zero) have no line:
  // that would cost each build a quarter more; the other kinds have it.
  kPlain,
  // Accesses outside of allocations, shared variables and arrays, use after free, misaligned vector
  // types, bad shifts: as findings and faults of km_cuda, with their lines. 3 to 5 times slower.
  kMemory,
  // Two accesses that nothing orders: as findings, with the lines of both. 10 to 50 times slower.
  kRaces,
  // Requests of warps to global and shared memory, in the records of launches. As slow.
  kCounts,
};

// What kernels are compiled against and run on, built once for each set of headers, compiler, torch
// and kind of build.
struct CudaRuntime {
  BuildKind kind = BuildKind::kPlain;
  std::filesystem::path folder;  // Holds km_cuda.so, libkernelmill_cuda.so and precompiled headers.
  std::filesystem::path python_folder;  // To be put in front of sys.path for `import km_cuda`.
  // What the process that imports km_cuda has to be started with.
  std::vector<std::pair<std::string, std::string>> environment;
  std::filesystem::path prelude;  // torch's headers, precompiled.
  std::string key;                // Says all that went into it.
};

class ExtensionCache {
 public:
  // `folder` is made when it is not there; the checkout's own is DefaultFolder().
  static Result<ExtensionCache> Open(const std::filesystem::path& folder);
  // .cache/extensions below the checkout.
  static std::filesystem::path DefaultFolder();

  // Builds the runtime when it is not there yet (a minute of one core). Another process that builds
  // it at the same time is waited for. kNotFound when clang, its linker or torch is missing.
  Result<CudaRuntime> Runtime(BuildKind kind = BuildKind::kPlain) const;

  // The entry `name`, filled by `build` when it is not there yet; for what takes long.
  Result<std::filesystem::path> Entry(
      const std::string& name,
      const std::function<Status(const std::filesystem::path&)>& build) const;

  const std::filesystem::path& folder() const { return folder_; }
  const CudaToolchain& toolchain() const { return *toolchain_; }

  // An empty folder for something that will be an entry, and the rename that makes it one.
  Result<std::filesystem::path> NewFolder() const;
  Status Publish(const std::filesystem::path& built, const std::filesystem::path& entry) const;

 private:
  std::filesystem::path folder_;
  std::shared_ptr<const CudaToolchain> toolchain_;
};

}  // namespace kernelmill
