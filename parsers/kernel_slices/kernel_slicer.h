// Cuts a kernel out of its repository with the macros, types, constants and device functions that
// it needs, across quoted includes, in their original text and order. Called by the step that
// slices kernels (stages/mine/slice_kernels_step.h) for every __global__ function of a repository;
// the result becomes a record of kind kKernel.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/kernel_source.h"
#include "parsers/kernel_slices/translation_unit.h"

namespace kernelmill {

struct KernelSliceLimits {
  // Of the slice. Names of definitions beyond it are reported as missing.
  std::int64_t lines = 1200;
};

struct KernelCut {
  KernelSource kernel;
  // The files that contributed a definition, as ascending indices into the index.
  std::vector<int> files;
  // "path:line" of all launches of the kernel in the repository, in order.
  std::vector<std::string> launch_sites;
};

// The host functions that launch a kernel of that name, of the files that see `file`, where it is
// defined.
std::vector<FunctionPlace> LaunchersOf(const NativeIndex& index, int file, std::string_view kernel);

// Cuts out the kernel that is item `item` of file `file` of the units' index.
KernelCut CutKernel(TranslationUnits* units, int file, int item, const KernelSliceLimits& limits);

}  // namespace kernelmill
