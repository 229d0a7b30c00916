// Writes the pages about a dataset that lie in its folder: README.md and report.html.
#pragma once

#include <string>
#include <vector>

#include "corpora/statistics/dataset_statistics.h"
#include "generators/dataset_pages/mixture_report.h"
#include "stages/engine/step_spec.h"
#include "stages/pack/publish.h"

namespace kernelmill {

// Writes both, over those of a run that died before it published. Shards and exports have been
// written; Publish() comes after it. `steps` says in words what each step of `facts` takes.
Status DescribeDataset(const std::string& folder, const PackedRecords& packed,
                       const DatasetFacts& facts, const std::vector<StepSpec>& steps,
                       DatasetStatistics statistics, MixtureReport mixture);

}  // namespace kernelmill
