// Finds the variables in CUDA code that the rewrite for the CPU (cuda_rewrite.h) gives a first
// value, because the code gives them none: on a device, a register then holds whatever was in it.
#pragma once

#include <functional>
#include <string_view>

#include "parsers/syntax_tree.h"

namespace kernelmill {

// Calls `found(name)` for each number that a declaration in a block declares without a value. Not
// where a jump may lead over it, to which a value would be an error. `declaration`: one of a
// device's code.
void FindUnset(const SyntaxNode& declaration, const std::function<void(const SyntaxNode&)>& found);

}  // namespace kernelmill
