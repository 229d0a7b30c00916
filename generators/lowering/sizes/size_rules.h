// Rules of symbolic_sizes.cc: the sizes of results by class of operator. A rule returns nothing for
// a node that it does not cover.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generators/lowering/group_scope.h"

namespace kernelmill {

using SymbolicShape = std::vector<std::string>;

// Of views, where a kernel copies them; `result` is the first, second … of them.
std::optional<SymbolicShape> ViewSizes(GroupScope* scope, const Node& node, int result);
// Of creation operators.
std::optional<SymbolicShape> ConstantSizes(GroupScope* scope, const Node& node);
// Of operators that move, sort or select elements.
std::optional<SymbolicShape> MovedSizes(GroupScope* scope, const Node& node);
// Of losses, distances, attention and recurrent layers.
std::optional<SymbolicShape> ComposedSizes(GroupScope* scope, const Node& node, int result);

// Where a part of dimension `dim` begins and how long it is: of a slice, or of one of the results
// that cut a tensor into parts.
struct PartText {
  int dim = 0;
  std::string begin, length;
  std::int64_t step = 1;
};
PartText PartOf(GroupScope* scope, const Node& node, int result);

std::string NumberText(std::int64_t number);
// "size + 3" without what changes nothing.
std::string Plus(const std::string& size, std::int64_t number);
// The sum as a name.
std::string SumOfSizes(GroupScope* scope, std::string_view word,
                       const std::vector<std::string>& sizes);

}  // namespace kernelmill
