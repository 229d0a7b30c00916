// A program that lets a check try an answer, in the shape of an answer: what the verifier says of it
// is what the check says.
#pragma once

#include <string>

namespace kernelmill {

// A `ModelNew` for `reference` that runs `check` on the one of `answer` before its first forward(),
// and then computes what the reference computes. It is right where the check raises nothing.
std::string CheckedProgram(const std::string& reference, const std::string& answer,
                           const std::string& check);

}  // namespace kernelmill
