// Recognizes thread indices and strides in the expressions of a kernel's body, that is expressions
// of threadIdx, blockIdx, blockDim and gridDim and of variables that hold them. Called by
// ReadKernelFacts()'s reader of bodies (cuda_body_facts.cc).
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "parsers/cuda_kernel_facts.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {

using NameSet = std::set<std::string, std::less<>>;

// How `expression` depends on the thread; std::nullopt when it does not. `indices` are the
// variables that are known to depend on it. Only kind and dimension of the result are set.
std::optional<ThreadIndex> ThreadIndexOf(const SyntaxNode& expression, const NameSet& indices);

// Whether the expression is gridDim.d * blockDim.d in either order, or one of `strides`, the
// variables with that value.
bool IsGridStride(const SyntaxNode& expression, const NameSet& strides);
// Whether the expression is blockDim.d.
bool IsBlockStride(const SyntaxNode& expression);

// Whether any identifier in the subtree is one of `names`.
bool Mentions(const SyntaxNode& node, const NameSet& names);

// Removes parentheses and casts around the expression.
SyntaxNode StripParenthesesAndCasts(SyntaxNode node);

}  // namespace kernelmill
