// Finds where code of a device reads a variable as numbers of another type, by a cast of its
// address:
// `*reinterpret_cast<const unsigned*>(&x)`. The rewrite for the CPU (cuda_rewrite.h) has them read
// what a device would: what is no number has other bits there.
#pragma once

#include <functional>

#include "parsers/syntax_tree.h"

namespace kernelmill {

// Calls `found(place, variable)` if `place` reads the value of a variable so. Not where it is
// written to, or its address is taken.
void FindBitView(const SyntaxNode& place,
                 const std::function<void(const SyntaxNode&, const SyntaxNode&)>& found);

}  // namespace kernelmill
