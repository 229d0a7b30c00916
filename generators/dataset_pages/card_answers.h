// The part of a dataset's card about the answers that kernelmill wrote: how much running them has
// shown, how they differ, and which bugs were put into them.
#pragma once

#include <string>

#include "corpora/statistics/dataset_statistics.h"

namespace kernelmill {

// A section in Markdown; empty without candidates.
std::string AnswersSection(const DatasetStatistics& statistics);

}  // namespace kernelmill
