// Repairs of which arguments are passed and of what kind they are.
#pragma once

#include <vector>

#include "corpora/records/module_candidate.h"
#include "stages/admit/module_signature.h"
#include "stages/admit/worker_reply.h"

namespace kernelmill {

// Changed copies of `arguments`, likeliest first: an error about missing or surplus arguments,
// None, or a number where several are expected.
std::vector<ArgumentSet> CallRepairs(const ModuleSignature& signature, const ArgumentSet& arguments,
                                     const Fault& fault);

}  // namespace kernelmill
