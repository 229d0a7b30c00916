// Adds sources to a published SFT dataset, for the command `append`.
//
// As `merge` does, it does the run again over all sources, because near duplicates, limits and caps
// are decided for all of them together. What the steps made of the old sources comes from the
// outcome store (stages/engine/outcome_store.h), so only the new ones cost work.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "manifests/status.h"
#include "stages/recipes/dataset_build.h"

namespace kernelmill {

struct AppendRequest {
  std::string dataset;                         // Its folder.
  std::string configuration;                   // A YAML file that sets `sources` and no other key.
  std::map<std::string, std::string> sources;  // RederiveOptions::sources.
};

// Builds, in `options.output`, the dataset that one run over the sources of both makes, byte for
// byte: the old ones at the commits that the dataset names. kUsage for a dataset of samples, and
// for a source that a purge has removed from the dataset; kConfig for another key.
Result<BuiltDataset> AppendSources(const AppendRequest& request, const BuildOptions& options);

}  // namespace kernelmill
