// Expresses the sizes of a group's results by the sizes of the tensors that it reads.
#pragma once

#include <string>
#include <vector>

#include "generators/lowering/group_scope.h"

namespace kernelmill {

// The sizes of `id`, a result of `node`, as names of the scope or literals.
std::vector<std::string> SymbolicSizes(GroupScope* scope, const Node& node, ValueId id);

}  // namespace kernelmill
