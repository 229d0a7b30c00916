// The provenance of a dataset as an in-toto Statement v1 with the predicate SLSA provenance v1: its
// subjects are the files of the dataset, its dependencies the sources at their commits and the
// programs that made it. It holds no time and nothing that the dataset does not say.
#pragma once

#include <string_view>

#include "generators/standard_documents/documented_dataset.h"

namespace kernelmill {

inline constexpr std::string_view kStatementType = "https://in-toto.io/Statement/v1";
inline constexpr std::string_view kPredicateType = "https://slsa.dev/provenance/v1";
// The type of a statement in a DSSE envelope.
inline constexpr std::string_view kStatementMediaType = "application/vnd.in-toto+json";
// Members of the annotations of the subject manifest.json.
inline constexpr std::string_view kManifestDigestNote = "manifest_digest",
                                  kMerkleRootNote = "merkle_root";

// `documents`: further subjects, the other standard documents, which lie beside the statement.
Json ProvenanceStatement(const DocumentedDataset& dataset, const std::vector<FileEntry>& documents);

}  // namespace kernelmill
