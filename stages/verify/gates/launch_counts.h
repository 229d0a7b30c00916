// The counts of a right candidate's launches, as a profiler would show them. Counting is no gate:
// whatever comes of it, the candidate stays right.
#pragma once

#include "stages/verify/gates/examination.h"

namespace kernelmill {

// Runs the candidate once more with JudgeOptions::counting, and puts its launches with their counts
// into the verdict; a finding "not_counted" where that run does not come to its end. Does nothing
// where counting was not asked for, or where there is no native code.
Status CountLaunches(Examination& candidate);

}  // namespace kernelmill
