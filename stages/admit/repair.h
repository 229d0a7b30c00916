// Proposes changed arguments for a mined module after the worker has reported why a run failed: it
// asks all repairs (calls, values, shapes) that the reply gives reason for. Called by RepairSearch
// (repair_search.h), which decides what is tried next.
#pragma once

#include <vector>

#include "corpora/records/mined_module.h"
#include "stages/admit/module_signature.h"
#include "stages/admit/worker_reply.h"

namespace kernelmill {

// Changed copies of `arguments`, likeliest first, all different and of feasible sizes; those with
// an input whose dimensions are all equal come last. Empty when no repair applies. The reply is
// untrusted, because a task can take over the process that sends it: only numbers, dtypes and
// expressions of this program enter the arguments.
std::vector<ArgumentSet> ProposeRepairs(const ModuleSignature& signature,
                                        const ArgumentSet& arguments, const WorkerReply& reply);

}  // namespace kernelmill
