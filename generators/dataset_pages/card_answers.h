// The section of a dataset card about kernelmill's own answers: how they were verified, how they
// vary, and which bugs were put into them. Called by WriteDatasetCard() (dataset_card.h).
#pragma once

#include <string>

#include "corpora/statistics/dataset_statistics.h"

namespace kernelmill {

// The section in Markdown; empty without candidates.
std::string AnswersSection(const DatasetStatistics& statistics);

}  // namespace kernelmill
