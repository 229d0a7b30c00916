// The part of ReadKernelFacts() (parsers/cuda_kernel_facts.h) that reads the body of a kernel: it
// finds indices, loops, guards, shared arrays, calls and memory accesses in the syntax tree and
// adds them to the facts. It also tells which functions are barriers, warp functions and atomics.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parsers/cuda_index.h"
#include "parsers/cuda_kernel_facts.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {

// Adds the facts that `body` shows to `facts`, which must have the parameters. `code` is the
// original source.
void ReadBodyFacts(const SyntaxNode& body, std::string_view code, KernelFacts* facts);

// All calls in the subtree, in source order.
std::vector<SyntaxNode> CallsIn(const SyntaxNode& root);
// The name of the called function: the last part of a qualified name, or a method as ".sync".
std::string CalleeOf(const SyntaxNode& call);

bool IsBarrier(std::string_view callee);
bool IsWarpFunction(std::string_view callee);
bool IsAtomic(std::string_view callee);

}  // namespace kernelmill
