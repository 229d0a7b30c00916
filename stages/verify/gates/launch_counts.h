// Counts the memory requests of a right candidate's launches, as a profiler would. Counting is not
// a gate: the candidate stays right whatever its result.
#pragma once

#include "stages/verify/gates/examination.h"

namespace kernelmill {

// Runs the candidate once more with JudgeOptions::counting, and puts its launches with their counts
// into the verdict; if that run does not finish, the verdict gets a finding "not_counted". Does
// nothing if counting was not requested or the candidate has no native code.
Status CountLaunches(Examination& examination);

}  // namespace kernelmill
