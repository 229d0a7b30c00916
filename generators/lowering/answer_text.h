// Writes the text of an answer from its lowering plan: Python that builds the kernels with
// load_inline and defines ModelNew. Called by LowerGraph() (lower_graph.h) after PlanLowering().
#pragma once

#include <string>

#include "generators/lowering/lowering_plan.h"
#include "generators/lowering/module_text.h"

namespace kernelmill {

std::string AnswerText(const LoweringPlan& plan, const ModuleText& module);

}  // namespace kernelmill
