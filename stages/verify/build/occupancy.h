// Computes the theoretical occupancy of a candidate's launches, for its verdict: the share of a
// multiprocessor's warps that can be resident at once, from the resource usage that NVIDIA's
// compiler reports (device_report.h) and the launch's block.
#pragma once

#include <vector>

#include "corpora/records/verdict.h"

namespace kernelmill {

// Sets VerdictLaunch::occupancy of each launch whose kernel is among `device.kernels`: the resident
// warps of a multiprocessor of device.architecture, as a share of its maximum, by NVIDIA's own
// calculator (cuda_occupancy.h). Of several instantiations of a template the one with the most
// registers is used, because it is not known which one was launched.
void SetOccupancy(const VerdictDevice& device, std::vector<VerdictLaunch>* launches);

}  // namespace kernelmill
