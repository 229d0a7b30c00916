// Writes a lowering plan as an answer: Python that builds the kernels and defines ModelNew.
#pragma once

#include <string>

#include "generators/lowering/lowering_plan.h"
#include "generators/lowering/module_text.h"

namespace kernelmill {

std::string AnswerText(const LoweringPlan& plan, const ModuleText& module);

}  // namespace kernelmill
