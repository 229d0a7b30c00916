// A part of the gate "generality": a candidate must be right for other values of the parameters
// that the reference's constructor fills with a constant, such as a bias of zeros.
#pragma once

#include "stages/verify/gates/examination.h"

namespace kernelmill {

// Decides only if the candidate has every parameter that has other values, with the same values, or
// has nothing under its name: then it never reads that parameter. A parameter that has the
// reference's name and other values may be one that its constructor has arranged in another way.
Result<GateResult> JudgeOtherParameters(Examination& examination);

}  // namespace kernelmill
