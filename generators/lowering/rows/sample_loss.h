// SampleLoss: the form of losses that compute one number per sample from a row of elements before
// the reduction: cross entropy, margins between classes, distances between vectors.
// strategies/sample_losses.cc writes kernels for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "generators/lowering/rows/row_geometry.h"

namespace kernelmill {

struct SampleLoss {
  RowGeometry geometry;    // One row per sample.
  std::string statements;  // Statements that declare `loss`, a float, for sample `row`.
  std::string reduction;   // "mean", "sum" or "none".
  std::string why;         // What keeps the result accurate, in words; may be empty.
};

// The loss of a group's head; std::nullopt when the head is another operator or its operands are
// not supported.
std::optional<SampleLoss> SampleLossOf(GroupScope* scope);

}  // namespace kernelmill
