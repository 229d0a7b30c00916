// Finds the loops in which a thread may wait for another one by loads of volatile memory. The
// rewrite for the CPU (cuda_rewrite.h) counts their rounds: a thread that takes many lets others
// run.
#pragma once

#include <cstddef>
#include <functional>

#include "parsers/syntax_tree.h"

namespace kernelmill {

// Calls `found(first, last, block)` with the place of the body of `loop` if it is such a loop: one
// that counts nothing. `block`: whether the body has braces of its own. Not in functions that a
// compiler may evaluate.
void FindWaitingLoop(const SyntaxNode& loop,
                     const std::function<void(std::size_t, std::size_t, bool)>& found);

}  // namespace kernelmill
