// From a configuration to a published SFT dataset: the steps, in order.
#pragma once

#include <string>
#include <vector>

#include "manifests/config.h"
#include "manifests/dataset_manifest.h"
#include "stages/engine/run.h"

namespace kernelmill {

// Every key that a configuration of this pipeline may set.
std::vector<ConfigKey> SftKeys();

struct SftOptions {
  std::string output;      // The folder of the dataset.
  std::string cache;       // The folder of fetched repositories.
  int jobs = 0;            // 0: one a processor.
  bool restart = false;    // Forget an unfinished run in the folder.
  bool shuffle = false;    // Process in a random order; the result is the same.
  std::uint64_t shuffle_seed = 0;
};

// Builds, or goes on building, the dataset in `options.output`. A dataset that is complete there
// and was made from the same configuration is left alone and returned.
Result<DatasetManifest> BuildSftDataset(const Config& config, const SftOptions& options);

}  // namespace kernelmill
