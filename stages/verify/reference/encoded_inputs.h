// Asks the encoded inputs of a trial (ReferenceTrial::inputs) for the shapes of their tensors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "manifests/json.h"

namespace kernelmill {

// The most dimensions of a tensor; 0 where there is none.
std::size_t LargestRank(const Json& inputs);
// The elements of all tensors, or INT64_MAX where that is too small.
std::int64_t CountElements(const Json& inputs);

}  // namespace kernelmill
