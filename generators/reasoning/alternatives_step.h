// The alternatives to an answer: the other designs that were planned for its task, of which the
// costs are known. Called by the writers of translate rows and by the check of their numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "generators/known_task/known_task.h"

namespace kernelmill {

// The other answers of the backend with another design and a known estimate, the fastest first, at
// most two. Empty when the speed of `answer` was not estimated, or when no number tells it from the
// fastest one. The pointers point into `known`.
std::vector<const KnownCandidate*> AlternativesTo(const Candidate& answer, const KnownTask& known);

// What `answer` needs less of than `other`: launches, bytes, or requests of a counted run. Nothing
// when the first of them that differs is higher.
struct CostDifference {
  std::string_view what;
  std::int64_t own = 0, others = 0;
};
std::optional<CostDifference> CheaperIn(const Candidate& answer, const Candidate& other);

// Whether the estimate of one is higher by more than the error of such estimates.
bool IsClearlyFaster(const Candidate& one, const Candidate& other);

// The kernels that eager mode launches, one for each operator that computes.
std::int64_t EagerLaunches(const Annotation& facts);

}  // namespace kernelmill
