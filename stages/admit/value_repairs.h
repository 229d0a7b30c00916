// Repairs of what an input's values are: their type and how they are drawn.
#pragma once

#include <vector>

#include "corpora/records/module_candidate.h"
#include "stages/admit/worker_reply.h"

namespace kernelmill {

// Changed copies of `arguments`, likeliest first: an error about dtypes, indices or domains.
std::vector<ArgumentSet> ValueRepairs(const ArgumentSet& arguments, const Fault& fault);

// For results that are not finite: values in [0, 1) instead of normal ones.
std::vector<ArgumentSet> DomainRepairs(const ArgumentSet& arguments);

}  // namespace kernelmill
