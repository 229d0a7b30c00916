// Writes the pages that describe a dataset into its folder: README.md, the dataset card, and
// report.html. BuildSftDataset() (stages/recipes/sft_pipeline.h) calls it before it publishes the
// dataset.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/statistics/dataset_statistics.h"
#include "generators/dataset_pages/dataset_description.h"
#include "generators/dataset_pages/mixture_report.h"
#include "stages/engine/step_spec.h"
#include "stages/pack/publish.h"

namespace kernelmill {

inline constexpr std::string_view kCardName = "README.md";
inline constexpr std::string_view kReportName = "report.html";

// What the pages say of a dataset. `steps` names what the inputs of each step are. The result has no
// `samples`, which the recipe alone knows.
DatasetDescription DescriptionOf(const PackedRecords& packed, const DatasetFacts& facts,
                                 const std::vector<StepSpec>& steps, DatasetStatistics statistics,
                                 MixtureReport mixture);

// Writes both pages, replacing those of a run that died before it published. To be called before
// Publish().
Status DescribeDataset(const std::string& folder, const DatasetDescription& description);

}  // namespace kernelmill
