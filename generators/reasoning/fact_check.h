// Whether prose about answers says anything that the records do not: every number and everything
// in backticks is looked for among the facts. It knows the facts, and nothing of how sentences are
// made from them (reasoning_steps.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generators/task_rows/known_task.h"

namespace kernelmill {

// What nothing supports, each with the words around it; empty when all is well. Fenced code is
// left out. Of numbers the unit counts: "256 threads" needs a launch or a plan with as many, and
// "(2, 64)" a tensor of that shape.
//   about: the candidates that the prose is about, compared ones included.
std::vector<std::string> UnsupportedClaims(std::string_view markdown, const KnownTask& known,
                                           const std::vector<const Candidate*>& about);

}  // namespace kernelmill
