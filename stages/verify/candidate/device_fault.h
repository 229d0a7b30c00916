// What the executor says about a launch, in the words of a verdict.
#pragma once

#include "corpora/records/verdict.h"
#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

struct CandidateFault;

// A fault of km_cuda, {kind, reason, message, file, line}: a status and its reason. What is not in
// the table of reasons, because the process that reports it is a hostile one, is "device_fault".
void SetDeviceFault(const Json& json, CandidateFault* fault);

// What is wrong but has ended nothing, in the same form.
Result<VerdictFinding> DeviceFinding(const Json& json);

}  // namespace kernelmill
