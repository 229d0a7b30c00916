// Recognises the cause of wrong values by their pattern: a maximum or minimum that begins at zero,
// a transposed index, an unwritten tail.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stages/verify/numerics/tensor_values.h"

namespace kernelmill {

struct SeenPattern {
  // A name of AllErrorPatterns() (generators/feedback/error_patterns.h); empty if no pattern fits.
  std::string_view name;
  std::string where;  // A clause, "where index 1 is 96 or more"; may be empty.
};

// `wrong`: the elements that differ, ascending, at least one. Both tensors have the same shape.
SeenPattern FindErrorPattern(const TensorValues& expected, const TensorValues& got,
                             const std::vector<std::int64_t>& wrong);

}  // namespace kernelmill
