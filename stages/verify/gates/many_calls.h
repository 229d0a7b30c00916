// Calls a right candidate many times at small sizes, with other values each time, in one process,
// and compares all results after the last call. This finds what no few calls find: a call counter,
// a phase, a cache by the address or the shape of the inputs, an output that is handed out again,
// memory that is corrupted little by little.
#pragma once

#include "stages/verify/gates/examination.h"

namespace kernelmill {

// Ends a candidate whose first calls are right and a later one is not (kLaterCall). Says nothing of
// one that fails in the first calls, and does not go on: it may not be made for sizes that the
// contract does not ask for. A candidate whose calls are costly is called less often, and a finding
// says how often. Does nothing if the task runs at no sizes that are small enough.
Result<GateResult> JudgeManyCalls(Examination& examination);

}  // namespace kernelmill
