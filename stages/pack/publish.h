// Publishes a dataset: writes the manifest that lists all files of a finished folder.
// BuildSftDataset() (stages/recipes/sft_pipeline.h) calls Publish() last, after the pages that
// describe the dataset.
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
  bool contaminated = false;
  std::vector<std::string> files;  // Every file of the dataset but the manifest; sorted.
};

// Writes the manifest, which lists the files of `facts`. All of them must be final, report and card
// included. Temporary files of dead writers are removed. kExists when the dataset is published
// already, or when the folder holds a file that is no part of it, which is left alone; kInternal
// when the counts of a step do not add up.
Result<DatasetManifest> Publish(const std::string& folder, const PackedRecords& packed,
                                const DatasetFacts& facts);

}  // namespace kernelmill
