// Checks the signed provenance of a dataset (standard_documents.h) for the command `audit`: the
// signature, the digests of all subjects, the root, and every other statement, which the dataset
// makes again.
#pragma once

#include <string>

#include "stages/audit/audit.h"

namespace kernelmill {

// Checks the envelope at `path` with the public key in the PEM file `key` against the dataset in
// `folder`, of which `report` is the audit. Adds what is wrong to its findings. If nothing is, the
// dataset is authentic. An error when one of the files cannot be read, or when `key` holds no
// public key.
Status AuditAttestation(const std::string& folder, const std::string& path, const std::string& key,
                        AuditReport* report);

}  // namespace kernelmill
