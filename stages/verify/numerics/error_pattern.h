// What the errors in an output look like.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stages/verify/numerics/tensor_values.h"

namespace kernelmill {

struct SeenPattern {
  // Of AllErrorPatterns() (generators/feedback/error_patterns.h); empty when the errors look like
  // nothing in particular.
  std::string_view name;
  std::string where;  // A clause, "where index 1 is 96 or more"; may be empty.
};

// `wrong`: the elements that differ, ascending, at least one. Both tensors have the same shape.
SeenPattern FindErrorPattern(const TensorValues& expected, const TensorValues& got,
                             const std::vector<std::int64_t>& wrong);

}  // namespace kernelmill
