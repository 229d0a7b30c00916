// Cases of a check that give the inputs special values. Each one fits the operators of the task: a
// maximum is only tested where the inputs reach one. Called by PlanCheck() (check_plan.h).
#pragma once

#include <string>
#include <vector>

#include "corpora/records/check.h"
#include "generators/known_task/known_task.h"

namespace kernelmill {

// One set of inputs, derived from those of get_inputs().
struct CheckCase {
  CheckAspect aspect;               // A failure is reported under its `what`.
  std::vector<std::string> inputs;  // Python expressions of CheckPlan::inputs, one an input.
};

// `names`: the Python names of the inputs.
std::vector<CheckCase> ValueCases(const KnownTask& known, const std::vector<std::string>& names,
                                  const Wording& wording);

}  // namespace kernelmill
