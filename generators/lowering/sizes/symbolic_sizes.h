// Writes the sizes of a group's results as expressions of the sizes of the tensors that it reads,
// so that an answer works at other sizes. Called by GroupScope for every size that kernels ask for.
#pragma once

#include <string>
#include <vector>

#include "generators/lowering/group_scope.h"

namespace kernelmill {

// The sizes of `id`, a result of `node`, as names of the scope or literals.
std::vector<std::string> SymbolicSizes(GroupScope* scope, const Node& node, ValueId id);

}  // namespace kernelmill
