// Judges an answer as the second model of its process: the parameters of the first have other
// values. What an answer has kept of the first, in variables of its extension or of its module, is
// wrong then.
#pragma once

#include "stages/verify/gates/examination.h"

namespace kernelmill {

// Ends the candidate if its first call is wrong after a call of another model. Passes if neither
// the task has parameters nor the text has a place where a model could leave them.
Result<GateResult> JudgeSecondModel(Examination& examination);

}  // namespace kernelmill
