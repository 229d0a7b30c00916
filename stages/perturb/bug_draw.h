// Which bugs are put into an answer.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "generators/perturbation/bug.h"
#include "manifests/digest.h"

namespace kernelmill {

// Of what is drawn, by failure class; they need not add up to anything.
using FailureShares = std::map<FailureClass, double>;

struct DrawnBug {
  const BugClass* bug = nullptr;
  std::string code;  // The answer with the bug in it.
};

// For each of `count` mutants of an answer what is tried for it, one after the other until one is
// proved: at most `tries` bugs of one failure class. No bug comes twice. `subject` and `seed`
// decide.
std::vector<std::vector<DrawnBug>> DrawBugs(const AnswerTrees& answer, const Digest& subject,
                                            std::int64_t seed, const FailureShares& shares,
                                            std::int64_t count, std::int64_t tries);

}  // namespace kernelmill
