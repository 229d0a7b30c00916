// HasChannels(), the one rule that the rows of convolutions, pools and interpolations share:
// whether a tensor has a channel dimension before `spatial` (one, two or three) spatial dimensions,
// with or without a batch.
#pragma once

#include "corpora/operators/rules/type_rules.h"

namespace kernelmill {

// Whether `shape` is (batch, channels, sizes…) or the same without the batch.
inline bool HasChannels(const Shape& shape, int spatial) {
  return shape.rank() == spatial + 1 || shape.rank() == spatial + 2;
}

}  // namespace kernelmill
