// Cuts the two versions of a kernel, for CUDA and for another platform, out of their repository,
// each with what it needs and the host functions that launch it. Called by the step "slice_ports"
// (stages/mine/slice_ports_step.h).
#pragma once

#include <vector>

#include "corpora/records/kernel_port.h"
#include "parsers/kernel_slices/kernel_slicer.h"
#include "parsers/kernel_slices/kernel_twins.h"

namespace kernelmill {

struct PortCut {
  KernelPort port;
  std::vector<int> files;  // That contributed a definition, ascending indices into the index.
  // Whether both versions have host code that launches the kernel, or neither has.
  bool same_hosts = true;
};

PortCut CutPort(TranslationUnits* units, const KernelTwins& twins, const KernelSliceLimits& limits);

}  // namespace kernelmill
