// The fact check of prose about answers: finds every number, shape, line number and piece of code
// that the records of the task do not support. One of the row rules (row_rules.h) calls it on every
// row. It reads the finished text and shares no code with the writers of sentences
// (generators/reasoning/), so that a mistake of theirs cannot hide here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generators/known_task/known_task.h"

namespace kernelmill {

// The unsupported claims of `markdown`, each with the words around it; empty when the records
// support all of them. Fenced code is not read. A number is looked up together with its unit: "256
// threads" needs a launch or a plan with 256 threads, and "(2, 64)" a tensor of that shape.
//   about: the candidates that the text is about, including those that it compares with.
std::vector<std::string> UnsupportedClaims(std::string_view markdown, const KnownTask& known,
                                           const std::vector<const Candidate*>& about);

}  // namespace kernelmill
