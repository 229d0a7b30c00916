// Proposes changed arguments for a mined module whose call itself was wrong: an argument missing,
// surplus or of the wrong type. One of the repairs that ProposeRepairs() (repair.h) asks after a
// failed run.
#pragma once

#include <vector>

#include "corpora/records/mined_module.h"
#include "stages/admit/module_signature.h"
#include "stages/admit/worker_reply.h"

namespace kernelmill {

// Changed copies of `arguments`, likeliest first, for an error about missing or surplus arguments,
// an argument of None, or a number where several are expected.
std::vector<ArgumentSet> CallRepairs(const ModuleSignature& signature, const ArgumentSet& arguments,
                                     const Fault& fault);

}  // namespace kernelmill
