// Computes the theoretical occupancy of a candidate's launches, for its verdict: the share of a
// multiprocessor's warps that can be resident at once, from the resource usage that NVIDIA's
// compiler reports (device_report.h) and the launch's block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "corpora/records/verdict.h"

namespace kernelmill {

// The most threads a block that the machine code of a kernel was made for (__launch_bounds__).
struct LaunchBound {
  std::string kernel;  // As VerdictDeviceKernel::kernel.
  std::int64_t threads = 0;
};

// Sets VerdictLaunch::occupancy of each launch whose kernel is among `device.kernels`: the resident
// warps of a multiprocessor of device.architecture, as a share of its maximum, by NVIDIA's own
// calculator (cuda_occupancy.h). Of several instantiations of a template, where the launch names none
// of them, the one with the most registers is used.
void SetOccupancy(const VerdictDevice& device, std::vector<VerdictLaunch>* launches);

// Why the device refuses one of the launches: its largest block has more threads than
// __launch_bounds__ allow, or needs more registers than a multiprocessor has. Nothing for a kernel
// of which an instantiation that the launch may name can run, or was not compiled. What does not depend on the machine code,
// the executor refuses itself (stages/cuda_executor/runtime/launch.cc).
// `bounds`: LaunchBound::threads by the index of the kernel in `device.kernels`; kernels of two
// extensions may have one name.
std::optional<std::string> RefusalOfLaunch(const VerdictDevice& device,
                                           const std::map<std::size_t, std::int64_t>& bounds,
                                           const VerdictLaunch& launch);

}  // namespace kernelmill
