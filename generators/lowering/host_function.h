// Writes the C++ function that forward() of an answer calls for one fusion group: it checks its
// tensors, allocates the results and launches the kernels. Called by PlanLowering() with the code
// that a strategy wrote.
#pragma once

#include <string>

#include "generators/lowering/strategy.h"

namespace kernelmill {

struct HostFunctionCode {
  std::vector<ValueId> inputs;  // Those of the group that the function reads: its parameters.
  std::string declaration, definition;

  bool HasSameText(const HostFunctionCode& other) const {
    return declaration == other.declaration && definition == other.definition;
  }
};

// The function `name` around the code that a strategy wrote for the scope's group.
HostFunctionCode HostFunctionOf(GroupScope* scope, const std::string& name, const GroupCode& code);

}  // namespace kernelmill
