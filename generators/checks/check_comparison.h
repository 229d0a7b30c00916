// Chooses the Python function compare() of a check, which compares a candidate's result with the
// reference's; its text fits the dtypes of the task's outputs. Called by WriteCheck()
// (check_text.h).
#pragma once

#include <string>

#include "generators/checks/check_plan.h"

namespace kernelmill {

struct CheckComparison {
  std::string name;
  std::string text;        // Defines compare(label, got, want) or compare(label, got, want, exact).
  bool in_double = false;  // compare() takes the reference's result in float64 too.
};

CheckComparison ChooseComparison(const CheckPlan& plan, const Wording& wording);

}  // namespace kernelmill
