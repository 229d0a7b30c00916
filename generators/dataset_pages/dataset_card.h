// The card of a dataset, DIR/README.md, with the front matter that the Hugging Face hub reads.
#pragma once

#include <string>

#include "generators/dataset_pages/dataset_description.h"

namespace kernelmill {

// Depends on the description alone, so that the file can be part of the dataset.
std::string WriteDatasetCard(const DatasetDescription& description);

}  // namespace kernelmill
