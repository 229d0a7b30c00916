// Which files the folder of a dataset holds, whatever its manifest says of them.
#pragma once

#include <string>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

// The contents of a dataset's folder besides its manifest and the local state of the run: relative
// paths, sorted.
struct DatasetListing {
  std::vector<std::string> files;   // Regular files.
  std::vector<std::string> others;  // Links, sockets and the like, which are not part of a dataset.
};
Result<DatasetListing> ListDataset(const std::string& folder);

}  // namespace kernelmill
