// Finds the kernel launches (<<<…>>>, cudaLaunchKernel, musaLaunchKernel) and the Python bindings
// (m.def, m.impl, macros that bind) in one function of host code, or the launches in a kernel.
// Called by CudaItemReader (cuda_items.h) for every kernel and host function of a file.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/cuda_file.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {

// Appends the launches in a function and the bindings that it registers (m.def, m.impl), in source
// order. `source` is the original text of the file, `binding_macros` its BindingMacros().
void ReadHostCode(const SyntaxNode& function, std::string_view source,
                  const std::set<std::string, std::less<>>& binding_macros,
                  std::vector<CudaLaunch>* launches, std::vector<CudaBinding>* bindings);

// The macros of one argument that bind a function under its own name: `#define BIND(f) m.def(#f,
// &f)`.
std::set<std::string, std::less<>> BindingMacros(std::string_view source);

}  // namespace kernelmill
