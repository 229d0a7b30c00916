// Proposes changed inputs for a mined module that failed because of their values: other dtypes, or
// values drawn in another way or range. Called by ProposeRepairs() (repair.h) after a failed run.
#pragma once

#include <vector>

#include "corpora/records/mined_module.h"
#include "stages/admit/worker_reply.h"

namespace kernelmill {

// Changed copies of `arguments`, likeliest first, for an error about dtypes, indices or domains.
std::vector<ArgumentSet> ValueRepairs(const ArgumentSet& arguments, const Fault& fault);

// For results that are not finite: draws values from [0, 1) instead of a normal distribution.
std::vector<ArgumentSet> DomainRepairs(const ArgumentSet& arguments);

}  // namespace kernelmill
