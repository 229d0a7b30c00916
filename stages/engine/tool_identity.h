// Identifies the program that makes a dataset, by its version, its own file, the worker's sources
// and torch's version. A run puts the identity into its plans and the dataset, so a run is not
// resumed by another version; the audit compares it. The compilers and the executor are no part of
// it: the key of a verdict (stages/verify/judge/verdict_store.h) covers this identity and, by
// JudgeOptions::executor, those.
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
