// The pages about a dataset that lie in it: README.md and report.html.
#pragma once

#include <string>

#include "corpora/statistics/dataset_statistics.h"
#include "generators/dataset_pages/mixture_report.h"
#include "stages/pack/publish.h"

namespace kernelmill {

// Writes both, over those of a run that did not come to publish. Shards and exports are there
// already; Publish() comes after it.
Status DescribeDataset(const std::string& folder, const PackedRecords& packed,
                       const DatasetFacts& facts, DatasetStatistics statistics,
                       MixtureReport mixture);

}  // namespace kernelmill
