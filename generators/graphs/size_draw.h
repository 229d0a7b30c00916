// Draws sizes as they are usual in networks, each with a small size for checks.
#pragma once

#include <cstdint>
#include <string_view>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

struct SizePair {
  std::int64_t large, small;
};

SizePair DrawBatch(Draw* draw);
// The two sizes, with `small` one larger if they are equal: a size that is the same in both would
// be a plain number in the text.
SizePair WithDistinctSizes(std::int64_t large, std::int64_t small);
// Widths of layers.
SizePair DrawFeatures(Draw* draw);
SizePair DrawChannels(Draw* draw);
// Heights and widths of images; lengths of sequences and signals; depths of volumes.
SizePair DrawSide(Draw* draw);
SizePair DrawLength(Draw* draw);
SizePair DrawDepth(Draw* draw);

// Whether a size of this name usually varies between inputs, such as a length or a side.
bool UsuallyVaries(std::string_view name);

}  // namespace kernelmill
