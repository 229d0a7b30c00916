// Expressions of the built-in variables that tell threads apart.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "parsers/cuda_kernel_facts.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {

using NameSet = std::set<std::string, std::less<>>;

// How `expression` depends on the thread; nothing when it does not. `indices` are the names that
// are known to. Fills in kind and dimension only.
std::optional<ThreadIndex> IndexOf(const SyntaxNode& expression, const NameSet& indices);

// Whether the expression is gridDim.d * blockDim.d in any order, or one of `strides`, the variables
// that are.
bool IsGridStride(const SyntaxNode& expression, const NameSet& strides);
// Whether it is blockDim.d.
bool IsBlockStride(const SyntaxNode& expression);

// Whether any identifier in the subtree is one of `names`.
bool Mentions(const SyntaxNode& node, const NameSet& names);

// The expression inside of parentheses and casts.
SyntaxNode Bare(SyntaxNode node);

}  // namespace kernelmill
