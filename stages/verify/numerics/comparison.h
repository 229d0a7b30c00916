// Compares a candidate's output with the reference's, element by element.
//
// NaN equals only NaN. If the rule uses a run of the reference in float64 (the oracle), float32 is
// allowed its unavoidable errors:
//   |got - expected| <= a + r |expected|, or
//   |got - oracle| <= a + r |oracle| + 8 max |expected - oracle|,
// with r = 1e-4 (1e-2 for half and bfloat16) and a = r times the root mean square of the oracle, at
// most r, so that zeros do not pass for small values. Elements where only one of the reference and
// the oracle is finite are left out. For long sums, where the order of summation alone changes
// float32 by more than that, r = 1e-2 and a = r times the root mean square, without a bound.
#pragma once

#include <cstdint>
#include <vector>

#include "stages/verify/legality/policy.h"
#include "stages/verify/numerics/selection.h"
#include "stages/verify/numerics/tensor_values.h"

namespace kernelmill {

enum class OutputFault { kNone, kShape, kDtype, kValues };

struct OutputComparison {
  OutputFault fault = OutputFault::kNone;
  std::int64_t compared = 0;
  std::vector<std::int64_t> wrong;  // Elements in row-major order.
};

// `oracle` may be nullptr. Integers and bools have to be equal; indices that are as good as the
// expected ones (selection.h) are accepted too, except by KernelBench's rule. With `elements`
// (ascending), only these are compared, and the scale of the tolerance comes from these alone.
OutputComparison CompareOutputs(const TensorValues& expected, const TensorValues* oracle,
                                const TensorValues& got, ToleranceRule rule,
                                const std::vector<std::int64_t>* elements = nullptr,
                                const Selection* selection = nullptr);

}  // namespace kernelmill
