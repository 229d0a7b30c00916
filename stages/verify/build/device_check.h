// What NVIDIA's own compiler says of an extension's kernels: NVRTC takes their device code to
// machine code, without a GPU. clang on the CPU accepts what a device does not have (threadIdx.w, a
// host function called by a kernel), and knows nothing of registers.
#pragma once

#include <string>
#include <vector>

#include "corpora/records/verdict.h"
#include "manifests/status.h"
#include "stages/verify/build/device_compiler.h"
#include "stages/verify/build/extension.h"

namespace kernelmill {

struct DeviceCheck {
  VerdictDevice facts;
  // Of the first kernel that the compiler refuses, in the candidate's own files and lines; empty
  // when it refuses none.
  std::string refused;
};

// Every kernel is cut out of its source with what it needs and compiled by itself, as often as it
// is launched with other template arguments. What takes a name from torch's headers, or from
// nowhere, is unchecked: those headers are for nvcc. MUSA's kernels are compiled under CUDA's
// names.
Result<DeviceCheck> CheckDeviceCode(const ExtensionSources& sources,
                                    const DeviceCompiler& compiler);

}  // namespace kernelmill
