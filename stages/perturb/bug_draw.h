// Draws the bugs that the step "perturb" puts into one right answer, before any is tried: each
// drawn bug is an answer's text with that bug in it. The outer list has one entry for each of
// `count` mutants: up to `tries` bugs, which the step tries one after the other until a run proves
// one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "generators/perturbation/bug.h"
#include "manifests/digest.h"

namespace kernelmill {

// The relative frequency of each failure class; the sum is arbitrary.
using FailureShares = std::map<FailureClass, double>;

struct DrawnBug {
  const BugClass* bug = nullptr;
  std::string code;  // The answer with the bug in it.
};

// For each of `count` mutants of an answer, the bugs to try one after the other until one is
// proved: at most `tries` bugs, all of one failure class. No bug is drawn twice. The result depends
// only on the arguments; `subject` and `seed` seed the draw.
std::vector<std::vector<DrawnBug>> DrawBugs(const AnswerTrees& answer, const Digest& subject,
                                            std::int64_t seed, const FailureShares& shares,
                                            std::int64_t count, std::int64_t tries);

}  // namespace kernelmill
