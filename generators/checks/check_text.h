// The Python text of a check, in one of several forms.
#pragma once

#include <string>

#include "generators/checks/check_plan.h"

namespace kernelmill {

struct CheckText {
  std::string form;  // "generator, scaled": how it iterates over cases, and how it compares.
  std::string code;  // Defines check(ModelNew), which raises an error on a wrong result.
};

// `wording`: chooses the form.
CheckText WriteCheck(const CheckPlan& plan, const Wording& wording);

}  // namespace kernelmill
