// Shared rules for operators over one, two or three spatial dimensions.
#pragma once

#include "corpora/operators/rules/type_rules.h"

namespace kernelmill {

// Whether `shape` is (batch, channels, sizes…) or the same without the batch.
inline bool HasChannels(const Shape& shape, int spatial) {
  return shape.rank() == spatial + 1 || shape.rank() == spatial + 2;
}

}  // namespace kernelmill
