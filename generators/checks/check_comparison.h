// The Python that compares a candidate's result with the reference's.
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
