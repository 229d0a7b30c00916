// NVRTC, NVIDIA's CUDA compiler as a library, in the compiler's sandbox. The only place that knows
// where it is and how it is called.
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
};

struct DeviceCompilation {
  bool ok = false;
  // Diagnostics of the source are called "device(LINE)"; what ptxas says of each kernel follows.
  std::string log;
};

class DeviceCompiler {
 public:
  static constexpr char kArchitecture[] = "sm_80";

  // Builds the program that calls NVRTC when `cache` has none yet. kNotFound without NVRTC.
  static Result<DeviceCompiler> Open(const ExtensionCache& cache);

  // `headers`: of the C++ library, "cmath", come with what device_prelude.h has of them, or whole,
  // which takes a second. One result a source; what did not come to its end in time has no log.
  // What was compiled before is not compiled again.
  Result<std::vector<DeviceCompilation>> Compile(const std::vector<DeviceSource>& sources,
                                                 bool whole_library) const;

  const std::string& version() const { return version_; }  // "nvrtc 13.5.37"
  const std::string& key() const { return key_; }          // Says all that shapes an answer.

 private:
  Result<std::vector<DeviceCompilation>> Run(const std::vector<DeviceSource>& sources,
                                             bool whole_library) const;

  std::filesystem::path program_, toolkit_, folder_;
  std::string library_, version_, key_;
};

}  // namespace kernelmill
