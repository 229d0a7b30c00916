// Compiles kernels with NVRTC (NVIDIA's CUDA compiler as a library) in the compiler's sandbox, for
// CompileForDevice() (device_report.h). It needs no GPU. This is the only module that calls NVRTC.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manifests/status.h"
#include "stages/verify/build/extension_cache.h"

namespace kernelmill {

struct DeviceSource {
  std::string text;
  std::vector<std::string> instantiations;  // "kernel<float, 4>".
  // The same for all that are compiled at once: the language of -std=, and the flags that take the
  // operators of halves out ("-D__CUDA_NO_HALF_OPERATORS__"), which our prelude must see too.
  std::string language;
  std::vector<std::string> without_operators;
};

struct DeviceCompilation {
  bool ok = false;
  // Diagnostics call the source "device(LINE)". The report of ptxas on each kernel follows them.
  std::string log;
};

class DeviceCompiler {
 public:
  static constexpr char kArchitecture[] = "sm_80";

  // Builds the program that calls NVRTC unless `cache` has it. kEnvironment without NVRTC.
  static Result<DeviceCompiler> Open(const ExtensionCache& cache);

  // Compiles each source; results are cached. `whole_library`: namespace std is complete, as far as
  // device code has it, which takes seconds; otherwise it has what device_prelude.h defines. There
  // is one result for each source, with an empty log if time ran out.
  Result<std::vector<DeviceCompilation>> Compile(const std::vector<DeviceSource>& sources,
                                                 bool whole_library) const;

  const std::string& version() const { return version_; }  // "nvrtc 13.5.37"
  const std::string& key() const {
    return key_;
  }  // Hash of everything that the results
     // depend on.

 private:
  Result<std::vector<DeviceCompilation>> Run(const std::vector<DeviceSource>& sources,
                                             bool whole_library) const;

  std::filesystem::path program_, toolkit_, folder_;
  std::string library_, version_, key_;
};

}  // namespace kernelmill
