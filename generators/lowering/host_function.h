// The C++ function that forward() calls for one group: it checks its tensors, allocates the results
// and launches the kernels.
#pragma once

#include <string>

#include "generators/lowering/strategy.h"

namespace kernelmill {

struct HostFunction {
  std::string declaration, definition;
};

// `code`: what a strategy made of the scope's group.
HostFunction HostFunctionOf(GroupScope* scope, const std::string& name, const GroupCode& code);

}  // namespace kernelmill
