// What operators over one, two or three spatial dimensions share.
#pragma once

#include "corpora/operators/rules/type_rules.h"

namespace kernelmill {

// (batch, channels, sizes…), where the batch may be left out.
inline bool HasChannels(const Shape& shape, int spatial) {
  return shape.rank() == spatial + 1 || shape.rank() == spatial + 2;
}

}  // namespace kernelmill
