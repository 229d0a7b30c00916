// Removes sources from a published dataset, for the command `purge`.
//
// Whether a record is in a dataset, and what its row weighs, depends on all sources: near duplicates
// hide each other, limits and caps choose, plans name the inputs of each step. So what is left is not
// cut out of the old dataset: the run is done again from the configuration that the dataset publishes
// without what is to go, at the commits that it names. The result is by construction what a run makes
// that never named the source, and no byte of the old dataset enters it.
//
// That needs the other sources, in the cache or where the configuration says, and the same build of
// kernelmill and torch for a result that is equal byte for byte to such a run; it does not need the
// source that goes. Verdicts are taken from the store, so kernels are not judged again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/recipes/dataset_build.h"

namespace kernelmill {

struct PurgeRequest {
  std::vector<std::string> repositories;  // URLs of sources, as the configuration names them.
  std::vector<std::string> licences;      // SPDX identifiers that no source may be used under.
  std::string reason;                     // For the certificate; may be empty.
  std::map<std::string, std::string> sources;  // RederiveOptions::sources.
};

// What went, as the certificate says it.
struct PurgeReport {
  Json certificate;
  std::string path;  // Of the certificate: beside the dataset, because the dataset must not name it.
  std::int64_t removed = 0;
};

// Builds the dataset in `folder` again in `options.output` without what `request` names, and writes
// the certificate to "<output>.removal.json". kUsage when the dataset has no such source or licence,
// or is one of samples.
Result<PurgeReport> Purge(const std::string& folder, const PurgeRequest& request,
                          const BuildOptions& options);

}  // namespace kernelmill
