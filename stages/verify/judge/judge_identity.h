// Identifies the judges of this machine, for processes that judge for each other: those that stay
// (stages/warm/) and the workers of a queue (stages/queue/).
#pragma once

#include "manifests/digest.h"
#include "manifests/status.h"

namespace kernelmill {

// The hash of the program with its worker and torch, the executor, and the processor's instruction
// set. Judges with equal ones have equal verdicts. Errors: those of ExecutorKey().
Result<Digest> JudgeIdentity();

}  // namespace kernelmill
