// The Python text of a check, in one of several constructions. The step "check" writes it.
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
