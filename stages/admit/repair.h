// What to change in a set of arguments after the worker has said why it failed.
#pragma once

#include <vector>

#include "corpora/records/module_candidate.h"
#include "stages/admit/module_signature.h"
#include "stages/admit/worker_reply.h"

namespace kernelmill {

// Changed copies of `arguments`, likeliest first, each different and of a size worth trying; those
// with an input whose dimensions are all equal come last. Empty when nothing helps. The reply comes
// from a process that the task could have taken over: whatever it says, only numbers, dtypes and
// expressions of this program's own get into the arguments.
std::vector<ArgumentSet> ProposeRepairs(const ModuleSignature& signature,
                                        const ArgumentSet& arguments, const WorkerReply& reply);

}  // namespace kernelmill
