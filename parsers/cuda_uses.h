// Which names a piece of CUDA source takes from outside, and which it declares itself.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/syntax_tree.h"

namespace kernelmill {

struct CudaNames {
  std::set<std::string, std::less<>> uses;      // "f", "a::b"; `declared` ones taken out.
  std::set<std::string, std::less<>> declared;  // Locals, parameters, members, template parameters.
  std::set<std::string, std::less<>> operators;   // "+", "+=", "[]" is none.
  std::set<std::string, std::less<>> conditions;  // What #if and #ifdef inside of it ask for.
};

// The names in `node`. Passes over the subtrees `skipped` (in source order), and over the leaf that
// begins at `own_name`, the name that the definition itself has. The scopes of C++ are not
// modelled: a name that is declared anywhere in `node` is no use in all of it.
CudaNames CollectNames(const SyntaxNode& node, const std::vector<SyntaxNode>& skipped,
                       std::size_t own_name);

// "a::b::c" without template arguments; empty when the node names nothing.
std::string ChainOf(const SyntaxNode& node);
// The last part of a chain.
std::string_view LastOf(std::string_view chain);

}  // namespace kernelmill
