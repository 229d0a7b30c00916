// How much of a multiprocessor the launches of a kernel can fill.
#pragma once

#include <vector>

#include "corpora/records/verdict.h"

namespace kernelmill {

// Sets VerdictLaunch::occupancy of each launch whose kernel is among `device.kernels`: warps at
// once on a multiprocessor of device.architecture, as a share of what it holds, by NVIDIA's own
// calculator (cuda_occupancy.h). Of several instantiations of a template the one that takes most
// registers counts: which one was launched is not known.
void SetOccupancy(const VerdictDevice& device, std::vector<VerdictLaunch>* launches);

}  // namespace kernelmill
