// Equations of torch.einsum in whatever letters people choose: "b h i d, b h j d -> b h i j".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kernelmill {

struct KnownEquation {
  std::string text;        // As the operator table has it.
  bool exchanged = false;  // With the first two operands the other way round.
};

// The equation of the table that says the same, letters and the order of two operands aside.
// `ranks`: of the operands, which say what "..." stands for. Nothing where there is none.
std::optional<KnownEquation> FindEquation(std::string_view given, std::span<const int> ranks);

}  // namespace kernelmill
