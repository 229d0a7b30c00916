// Cuts a kernel out of its repository with everything that it needs on the device: macros, types,
// constants and functions, across quoted includes, in their original text and order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpora/records/kernel_source.h"
#include "parsers/kernel_slices/translation_unit.h"

namespace kernelmill {

struct KernelSliceLimits {
  std::int64_t lines = 1200;  // Of the slice. Names of definitions that no longer fit are missing.
};

struct KernelCut {
  KernelSource kernel;
  std::vector<int> files;  // Files of the index that contributed a definition, ascending.
  // "path:line" of the kernel's launches anywhere in the repository, in order.
  std::vector<std::string> launch_sites;
};

// Cuts the kernel that is item `item` of `file`, both of the index of `units`.
KernelCut CutKernel(TranslationUnits* units, int file, int item, const KernelSliceLimits& limits);

}  // namespace kernelmill
