// What the mining steps are configured with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "stages/fetch/source.h"
#include "stages/mine/kernel_slicer.h"
#include "stages/mine/slicer.h"

namespace kernelmill {

struct MiningOptions {
  std::int64_t most_entries = 2'000'000;  // Of a repository's tree; more rejects the repository.
  std::int64_t largest_file = 1 << 20;    // Bytes.
  SliceLimits slice;
  bool kernels = true;  // Whether native kernels are mined beside modules.
  KernelSliceLimits kernel_slice;
  // SPDX identifiers whose files may enter a dataset.
  std::vector<std::string> licences = {"0BSD",    "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause",
                                       "BSL-1.0", "CC0-1.0",    "ISC",          "MIT",
                                       "MIT-0",   "Unlicense",  "Zlib"};
  // Beginnings of origins that want to be left out.
  std::vector<std::string> opted_out = {};
  // The program that serves as mining child; "" works in this process (tests).
  std::string child_program = "/proc/self/exe";
};

// Where each source lies on this machine, by ResolvedSource::Key(): known to the steps, never part
// of an input or output.
using SourceFolders = std::map<std::string, std::string>;
SourceFolders FoldersOf(const std::vector<ResolvedSource>& sources);

}  // namespace kernelmill
