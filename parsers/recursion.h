// Finds the functions of a source that call themselves, by way of others too. A device's compiler
// does not know how much stack they need, and a thread has little of it unless cudaDeviceSetLimit()
// says more. The rewrite for the CPU (cuda_rewrite.h) measures it.
#pragma once

#include <functional>

#include "parsers/syntax_tree.h"

namespace kernelmill {

// Calls `found(body)` with the body of each such function of device code. What a function calls
// with template arguments may be another instantiation of it, and does not count. An overload
// counts.
void FindRecursion(const SyntaxNode& root, const std::function<void(const SyntaxNode&)>& found);

}  // namespace kernelmill
