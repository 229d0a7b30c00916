// Part of the gate "generality": what forward() leaves in the module's buffers, such as running
// statistics in training mode, is what the reference leaves there.
#pragma once

#include "stages/verify/gates/examination.h"

namespace kernelmill {

// Compares them by name after one call, and grades the candidate (VerdictGenerality::buffers). Ends
// it if the contract asks for them.
Result<GateResult> JudgeModuleBuffers(Examination& examination);

}  // namespace kernelmill
