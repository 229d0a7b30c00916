// The alternatives to an answer: the other designs that were planned for its task, of which the
// costs are known. Called by the writers of translate rows and by the check of their numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "generators/known_task/known_task.h"

namespace kernelmill {

// The other answers of the backend with another design and a known estimate, the fastest first, at
// most two. Empty when the speed of `answer` was not estimated. The pointers point into `known`.
std::vector<const KnownCandidate*> AlternativesTo(const Candidate& answer, const KnownTask& known);

// The kernels that eager mode launches, one for each operator that computes.
std::int64_t EagerLaunches(const Annotation& facts);

}  // namespace kernelmill
