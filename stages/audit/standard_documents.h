// Writes the standard documents of a dataset for the command `export`: croissant.json, spdx.json
// and provenance.json, which others' tools read, and the last one once more in a signed envelope.
// They follow from the files of the dataset and from what its publisher says; equal inputs give
// equal bytes. They are not part of the dataset.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generators/standard_documents/documented_dataset.h"
#include "stages/audit/audit.h"

namespace kernelmill {

inline constexpr std::string_view kCroissantName = "croissant.json", kSpdxName = "spdx.json",
                                  kProvenanceName = "provenance.json",
                                  kSignedProvenanceName = "provenance.dsse.json";

struct StandardsOptions {
  Publication publication;
  std::string key;  // The PEM file of the private key to sign with; empty: nothing is signed.
};

// Writes the documents of `dataset` into the folder `output`, which is created, and returns their
// names. kCorrupt, with the first finding, when an audit of the dataset finds anything; kExists
// when one of the files exists.
Result<std::vector<std::string>> ExportStandards(const std::string& dataset,
                                                 const StandardsOptions& options,
                                                 const std::string& output);

// What documents of the dataset in `folder` are made from. `content` is what its audit found.
Result<DocumentedDataset> DocumentedDatasetOf(const std::string& folder, AuditedContent content);

}  // namespace kernelmill
