// Proposes repairs of missing, surplus and wrongly typed arguments.
#pragma once

#include <vector>

#include "corpora/records/module_candidate.h"
#include "stages/admit/module_signature.h"
#include "stages/admit/worker_reply.h"

namespace kernelmill {

// Changed copies of `arguments`, likeliest first, for an error about missing or surplus arguments,
// an argument of None, or a number where several are expected.
std::vector<ArgumentSet> CallRepairs(const ModuleSignature& signature, const ArgumentSet& arguments,
                                     const Fault& fault);

}  // namespace kernelmill
