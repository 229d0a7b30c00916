// Cutting a kernel out of its repository with everything that it needs on the device: macros,
// types, constants and functions, through quoted includes, in their original text and order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpora/records/kernel_source.h"
#include "stages/mine/translation_unit.h"

namespace kernelmill {

struct KernelSliceLimits {
  std::int64_t lines = 1200;  // Of the slice. What no longer fits is named as missing.
};

struct KernelCut {
  KernelSource kernel;
  std::vector<int> files;  // Of the index, ascending: those that gave a definition.
  // "path:line" of the launches of that kernel anywhere in the repository, in order.
  std::vector<std::string> launch_sites;
};

// The kernel that is item `item` of `file`, both of the index of `units`.
KernelCut CutKernel(TranslationUnits* units, int file, int item, const KernelSliceLimits& limits);

}  // namespace kernelmill
