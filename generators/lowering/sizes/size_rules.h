// The rules of SymbolicSizes() (symbolic_sizes.h), by class of operator: each returns the sizes of
// a node's result as C++ expressions of the sizes of the tensors that the group reads, or
// std::nullopt for a node that it does not cover.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generators/lowering/group_scope.h"

namespace kernelmill {

using SymbolicShape = std::vector<std::string>;

// For views, which a kernel copies; `result` is the index of the result.
std::optional<SymbolicShape> ViewSizes(GroupScope* scope, const Node& node, int result);
// For creation operators.
std::optional<SymbolicShape> ConstantSizes(GroupScope* scope, const Node& node);
// For losses, attention, recurrent layers, and operators that choose elements along a dimension.
std::optional<SymbolicShape> ComposedSizes(GroupScope* scope, const Node& node, int result);

// The start and the length of a part of dimension `dim`, for a slice or for a result of an operator
// that splits a tensor.
struct PartText {
  int dim = 0;
  std::string begin, length;
  std::int64_t step = 1;
};
PartText PartOf(GroupScope* scope, const Node& node, int result);

std::string NumberText(std::int64_t number);
// "size + 3"; just "size" for 0.
std::string Plus(const std::string& size, std::int64_t number);
// The sum of the sizes, as a name.
std::string SumOfSizes(GroupScope* scope, std::string_view word,
                       const std::vector<std::string>& sizes);

}  // namespace kernelmill
