// Calls a right candidate many times at small sizes, or at the task's own if it is not made for
// these, with other values each time, in one process, and compares all results after the last call.
// This finds what a few calls do not find: a call counter, a phase, a cache by the address or the
// shape of the inputs, an output that is handed out again, memory that is corrupted little by
// little. What the candidate keeps in Python must stay as it is in further calls with the same
// inputs (torch_worker/requests/kept_state.py).
#pragma once

#include "stages/verify/gates/examination.h"

namespace kernelmill {

// Ends a candidate whose first calls are right and a later one is not (kLaterCall). Says nothing of
// one that fails in the first calls at small sizes: it may not be made for sizes that the contract
// does not ask for, and is called with the task's own inputs instead. A candidate whose calls are
// costly is called less often, and a finding says how often.
Result<GateResult> JudgeManyCalls(Examination& examination);

}  // namespace kernelmill
