// Faults and findings of the executor (km_cuda), in the terms of a verdict.
#pragma once

#include "corpora/records/verdict.h"
#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

struct CandidateFault;

// Reads a fault of km_cuda, {kind, reason, message, file, line}, as a status (its `kind`) and a
// reason. A reason that is not in the table of reasons becomes "device_fault": the process that
// reports it may be hostile.
void SetDeviceFault(const Json& json, CandidateFault* fault);

// Reads something that is wrong but has not ended the launch, in the same form.
Result<VerdictFinding> DeviceFinding(const Json& json);

}  // namespace kernelmill
