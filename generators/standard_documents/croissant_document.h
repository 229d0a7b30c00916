// The description of a dataset in Croissant 1.1 (http://mlcommons.org/croissant/1.1) with the
// fields of its extension RAI 1.0: JSON-LD that names every file with its hash, and the columns of
// the rows, so that a loader can read them.
#pragma once

#include "generators/standard_documents/documented_dataset.h"

namespace kernelmill {

// Paths of files are relative to the document, which belongs beside manifest.json when it is
// published. Without Parquet files it lists no columns.
Json CroissantDocument(const DocumentedDataset& dataset, const Publication& publication);

}  // namespace kernelmill
