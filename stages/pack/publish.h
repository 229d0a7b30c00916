// Publishes a dataset: writes the manifest over a finished folder.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "manifests/dataset_manifest.h"
#include "stages/pack/dataset_writer.h"

namespace kernelmill {

// What the manifest records besides the packed records.
struct DatasetFacts {
  std::map<std::string, StepCounts> counts;  // By step.
  std::vector<DatasetManifest::StepPlan> plan;
  std::map<std::string, std::string> versions;
};

// Writes the manifest over every file in the folder, which must be final: quarantine, report and
// card included. Temporary files of writers that died are removed. kExists when it is published
// already, kInternal when the counts of a step do not add up.
Result<DatasetManifest> Publish(const std::string& folder, const PackedRecords& packed,
                                const DatasetFacts& facts);

// What lies in a dataset's folder beside its manifest and the local state of the run; paths
// relative to it, sorted.
struct DatasetListing {
  std::vector<std::string> files;   // Regular files.
  std::vector<std::string> others;  // Links, sockets and the like: no part of any dataset.
};
Result<DatasetListing> ListDataset(const std::string& folder);

}  // namespace kernelmill
