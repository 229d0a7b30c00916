// The part of a kernel's facts that its body gives (parsers/cuda_kernel_facts.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parsers/cuda_index.h"
#include "parsers/cuda_kernel_facts.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {

// Fills in what `body` says, given the parameters in `facts`. `code` is the original source.
void ReadBody(const SyntaxNode& body, std::string_view code, KernelFacts* facts);

// Every call in the subtree, in source order.
std::vector<SyntaxNode> CallsIn(const SyntaxNode& root);
// What a call calls: the last name of a function, the method of an object as ".sync".
std::string CalleeOf(const SyntaxNode& call);

bool IsBarrier(std::string_view callee);
bool IsWarpFunction(std::string_view callee);
bool IsAtomic(std::string_view callee);

}  // namespace kernelmill
