// Compiles the kernels of a candidate's extension with NVIDIA's own compiler, without a GPU, and
// reports its diagnostics and resource usage. clang for the CPU accepts code that no device
// compiler accepts (threadIdx.w, a kernel that calls a host function), and does not report
// registers. Called for each library that a candidate builds (candidate_libraries.h), through the
// judge's options.
#pragma once

#include <string>
#include <vector>

#include "corpora/records/verdict.h"
#include "manifests/status.h"
#include "stages/verify/build/device_compiler.h"
#include "stages/verify/build/extension.h"
#include "stages/verify/build/occupancy.h"

namespace kernelmill {

struct DeviceReport {
  VerdictDevice facts;
  std::vector<LaunchBound> bounds;  // Of kernels that have them.
  // The diagnostics of the first kernel that the compiler refuses, with the candidate's own files
  // and lines; empty if it refuses none.
  std::string refused;
};

// Every kernel is cut out of its source with the code that it needs and compiled alone, once for
// each set of template arguments that it is launched with. A kernel that uses a name from torch's
// headers, which only nvcc can compile, or an unknown name is listed as unchecked. Kernels of a
// backend with names of its own are compiled under CUDA's names.
Result<DeviceReport> CompileForDevice(const ExtensionSources& sources,
                                      const DeviceCompiler& compiler);

}  // namespace kernelmill
