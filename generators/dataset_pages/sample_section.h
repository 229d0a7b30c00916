// What the card and the report of a dataset say of the samples of models that it was made from.
#pragma once

#include <string>

#include "generators/dataset_pages/dataset_description.h"

namespace kernelmill {

// A section of the card with scores and selection; empty for a dataset without samples.
std::string SampleMarkdown(const DatasetDescription& description);
// The same for the report.
std::string SampleHtml(const DatasetDescription& description);

// A warning for a contaminated dataset, without markup; "" for others.
std::string ContaminationText(const DatasetDescription& description);

}  // namespace kernelmill
