// Finds the equation of the operator table that a call of torch.einsum ("b h i d, b h j d -> b h i
// j") is, whatever letters it uses. Called by GraphOfRun() (captured_graph.h) for calls of einsum.
// `ranks` are the operands' numbers of dimensions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kernelmill {

struct KnownEquation {
  std::string text;        // As spelled in the operator table.
  bool exchanged = false;  // Whether the first two operands must be swapped.
};

// The equation of the table that equals `given` up to letters and the order of two operands, or
// nothing. `ranks` holds the ranks of the operands, which determine the dimensions that "..."
// stands for.
std::optional<KnownEquation> FindEquation(std::string_view given, std::span<const int> ranks);

}  // namespace kernelmill
