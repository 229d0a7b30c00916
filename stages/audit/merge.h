// Joins two published SFT datasets into one, for the command `merge`.
//
// Whether a record is in a dataset, and what its row weighs, depends on all sources (purge.h). So
// the records are not put together: the run is done again from the configurations that both
// publish, over the sources of both. Near duplicates, limits, caps of near-equal programs and
// exclude_sources are decided for all sources together, and equal records are one. The result is by
// construction what one run makes that names all sources, so it depends neither on the order of the
// datasets nor on how several are paired. Verdicts are taken from the store, so kernels are not
// judged again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/recipes/dataset_build.h"

namespace kernelmill {

struct MergeRequest {
  std::string a, b;                            // The folders of the datasets.
  std::map<std::string, std::string> sources;  // RederiveOptions::sources.
};

struct MergeReport {
  BuiltDataset built;
  // Sources that one dataset has and a purge has removed from the other; the result lacks them.
  std::vector<std::string> removed;
};

// Builds the dataset of both in `options.output`. What a purge has removed from one of them, as the
// certificate beside it says, is not taken from the other. kUsage for datasets of samples, of other
// versions, or of configurations that differ in more than sources and exclusions; the message names
// what differs.
Result<MergeReport> MergeDatasets(const MergeRequest& request, const BuildOptions& options);

// The configuration of both: equal but for the union of `sources`, `exclude_sources` and
// `exclude_records`, and the larger `partitions`. kUsage names a key that differs.
Result<Json> MergedConfiguration(const Json& a, const Json& b);

}  // namespace kernelmill
