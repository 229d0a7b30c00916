// The Python text of a check from its plan (check_plan.h), in one of several constructions that
// `wording` chooses. Called by the step "check"; rows of the family test teach the text.
#pragma once

#include <string>

#include "generators/checks/check_plan.h"

namespace kernelmill {

struct CheckText {
  std::string construction;  // As Check::construction.
  std::string code;  // Defines check(ModelNew), which raises an error on a wrong result.
};

// `wording`: chooses the construction.
CheckText WriteCheck(const CheckPlan& plan, const Wording& wording);

}  // namespace kernelmill
