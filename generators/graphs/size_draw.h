// Sizes as networks have them, each with a small one for checks.
#pragma once

#include <cstdint>
#include <string_view>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

struct SizePair {
  std::int64_t large, small;
};

SizePair DrawBatch(Draw* draw);
// A batch of two sizes: what is the same at both would stand in the text as a number.
SizePair BatchOf(std::int64_t large, std::int64_t small);
// Widths of layers.
SizePair DrawFeatures(Draw* draw);
SizePair DrawChannels(Draw* draw);
// Heights and widths of images; lengths of sequences and signals; depths of volumes.
SizePair DrawSide(Draw* draw);
SizePair DrawLength(Draw* draw);
SizePair DrawDepth(Draw* draw);

// Whether a size of this name is one that inputs vary in: a length, a side.
bool IsExtentName(std::string_view name);

}  // namespace kernelmill
