// Writes the pages that describe a dataset into its folder: README.md, the dataset card, and
// report.html. BuildSftDataset() (stages/recipes/sft_pipeline.h) calls it before it publishes the
// dataset.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "corpora/statistics/dataset_statistics.h"
#include "generators/dataset_pages/dataset_description.h"
#include "generators/dataset_pages/mixture_report.h"
#include "stages/engine/step_spec.h"
#include "stages/pack/publish.h"

namespace kernelmill {

// Writes both pages, replacing those of a run that died before it published. To be called after
// shards and exports have been written and before Publish(). `steps` names what the inputs of each
// step are; `add` adds what the recipe alone knows, and may be null.
Status DescribeDataset(const std::string& folder, const PackedRecords& packed,
                       const DatasetFacts& facts, const std::vector<StepSpec>& steps,
                       DatasetStatistics statistics, MixtureReport mixture,
                       const std::function<Status(DatasetDescription*)>& add = nullptr);

}  // namespace kernelmill
