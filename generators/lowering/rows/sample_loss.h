// Losses that compute one number for each sample from a row of elements before they are reduced:
// cross entropy, margins between classes, distances between vectors.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "generators/lowering/rows/row_geometry.h"

namespace kernelmill {

struct SampleLoss {
  RowGeometry geometry;    // A row is a sample.
  std::string statements;  // That declare `loss` of sample `row`, as a float.
  std::string reduction;   // "mean", "sum" or "none".
  std::string why;         // What keeps it exact, for readers; may be empty.
};

// Of a group's head; nothing where it is no such loss, or of operands that are not written yet.
std::optional<SampleLoss> SampleLossOf(GroupScope* scope);

}  // namespace kernelmill
