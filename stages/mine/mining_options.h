// The settings of the mining steps ("walk" to "slice_kernels"), as MiningOptionsOf() (mine_keys.h)
// reads them from a configuration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parsers/kernel_slices/kernel_slicer.h"
#include "stages/mine/slicer.h"

namespace kernelmill {

struct MiningOptions {
  std::int64_t most_entries = 2'000'000;  // A repository whose tree has more entries is rejected.
  std::int64_t largest_file = 1 << 20;    // In bytes; larger files are not read.
  SliceLimits slice;
  bool kernels = true;  // Whether native kernels are mined as well as modules.
  KernelSliceLimits kernel_slice;
  // SPDX identifiers whose files may enter a dataset.
  std::vector<std::string> licences = {"0BSD",    "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause",
                                       "BSL-1.0", "CC0-1.0",    "ISC",          "MIT",
                                       "MIT-0",   "Unlicense",  "Zlib"};
  // Repositories whose URL starts with one of these are left out.
  std::vector<std::string> exclude_sources = {};
  // The program that runs as the confined child (UntrustedChild).
  std::string child_program = "/proc/self/exe";
};

}  // namespace kernelmill
