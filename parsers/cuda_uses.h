// Finds the names that a piece of CUDA source uses from outside, and those that it declares. Called
// for each definition of a file when the file is parsed (cuda_items.h), and for a kernel's
// parameters when its facts are read (cuda_kernel_facts.h). Other parsers and the legality check of
// answers use the two functions for qualified names.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/syntax_tree.h"

namespace kernelmill {

struct CudaNames {
  std::set<std::string, std::less<>> uses;      // "f", "a::b"; without `declared` ones.
  std::set<std::string, std::less<>> declared;  // Locals, parameters, members, template parameters.
  std::set<std::string, std::less<>> operators;  // "+", "+="; "[]" is not counted.
  // The macros that #if and #ifdef inside of it test.
  std::set<std::string, std::less<>> conditions;
};

// The names in `node`, without the subtrees `skipped` (in source order) and without the leaf at
// byte `own_name_offset`, the name of the definition itself. C++ scopes are not modelled: a name
// that is declared anywhere in `node` never counts as a use in it.
CudaNames CollectNames(const SyntaxNode& node, const std::vector<SyntaxNode>& skipped,
                       std::size_t own_name_offset);

// "a::b::c" without template arguments; empty when the node is not a name.
std::string QualifiedNameOf(const SyntaxNode& node);
// The part after the last "::".
std::string_view LastNameOf(std::string_view chain);

}  // namespace kernelmill
