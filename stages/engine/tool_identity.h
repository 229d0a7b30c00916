// Identifies the program that makes a dataset: everything whose change can change an output. A run
// puts it into its plans and the dataset, so a run is not resumed by another version; the verdict
// store keys verdicts by it; the audit compares it.
#pragma once

#include "manifests/digest.h"
#include "manifests/json.h"

namespace kernelmill {

struct ToolIdentity {
  Json versions;  // {"kernelmill": …, "torch": …, "worker": …, "program": …}: names and digests.
  Digest digest;  // Over all of them.
};

// Reads the program's own file, the worker's sources and torch's version file.
Result<ToolIdentity> ReadToolIdentity();

}  // namespace kernelmill
