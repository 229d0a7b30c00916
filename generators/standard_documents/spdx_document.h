// The description of a dataset in SPDX 3.0.1 (JSON-LD) with the profiles core, software, dataset
// and simpleLicensing: the dataset as a package with its files, sources, licences and the tool that
// made it.
#pragma once

#include "generators/standard_documents/documented_dataset.h"

namespace kernelmill {

// The identifiers of its elements follow from the URL of the publication and the digest of the
// manifest.
Json SpdxDocument(const DocumentedDataset& dataset, const Publication& publication);

}  // namespace kernelmill
