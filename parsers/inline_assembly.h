// Rewrites the asm statements of a CUDA source as calls of the executor, which runs inline PTX
// (stages/cuda_executor/include/kernelmill/ptx/statement.h).
#pragma once

#include <string>
#include <string_view>

namespace kernelmill {

// asm volatile("text" : "=r"(x) : "r"(y) : "memory") becomes
// KM_PTX(("text"), KM_PTX_OUT("=r", (x)), KM_PTX_IN("r", (y))), in the bodies of macros too, where
// parts of the text may be parameters. Every line keeps its number. A statement without a text,
// which only orders accesses, stays as it is, and so does what is not complete.
std::string RewriteAssembly(std::string_view source);

}  // namespace kernelmill
