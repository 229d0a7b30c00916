// Combines a task's reference, an answer to it and a check into one program that a judge can
// judge like an answer: its verdict is the check's result. Called by CheckTrials (check_trial.h).
#pragma once

#include <string>

namespace kernelmill {

// A `ModelNew` for `reference` that runs `check` on the `ModelNew` of `answer` before its first
// forward() and then computes what the reference computes. It is right if the check raises nothing.
std::string CheckedProgram(const std::string& reference, const std::string& answer,
                           const std::string& check);

}  // namespace kernelmill
