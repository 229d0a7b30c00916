// Finds the parameters of a kernel by which a CUDA compiler may read through the read-only cache, or
// once for all: pointers to constants with __restrict__ (CUDA guide, "__restrict__"). The rewrite for
// the CPU (cuda_rewrite.h) lets them read what was there when the launch began.
#pragma once

#include <functional>
#include <string_view>

#include "parsers/syntax_tree.h"

namespace kernelmill {

// Calls `found(name)` for each such parameter, if `definition` is a kernel's. Not for a pointer that is
// const itself, or a pointer to pointers.
void FindReadOnlyParameters(const SyntaxNode& definition,
                            const std::function<void(std::string_view)>& found);

}  // namespace kernelmill
