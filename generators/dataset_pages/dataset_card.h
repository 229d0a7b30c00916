// Writes the card of a dataset, the Markdown of DIR/README.md, with the front matter that the
// Hugging Face hub reads. Called while a dataset is published, after its records have been counted
// (stages/pack/describe.h).
#pragma once

#include <string>

#include "generators/dataset_pages/dataset_description.h"

namespace kernelmill {

// The text depends on the description alone, so that the card can be one of the dataset's hashed
// files.
std::string WriteDatasetCard(const DatasetDescription& description);

}  // namespace kernelmill
