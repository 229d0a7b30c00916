// Compares a candidate's output with the reference's, element by element.
//
// NaN equals only NaN. If the rule uses a run of the reference in float64 (the oracle), float32 is
// allowed its unavoidable errors:
//   |got - expected| <= a + r |expected|, or
//   |got - oracle| <= a + r |oracle| + 8 max(e max(1, |oracle| / s), |expected - oracle|),
// with r = 1e-4 (1e-2 for half and bfloat16), s = the root mean square of the oracle, and a = r
// times s, so that zeros do not pass for small values, but at most r max(1, s / s0). s0 is the s of
// the trial with the task's own values: where other values are 64 times as large, so is what the
// order of a sum changes, and a right kernel is right for both. e is the reference's typical
// error: the root mean square of |expected - oracle| without the largest errors, which belong to at
// most one in 100 elements and to 1 % of the sum of squares. An element is loose if its own error
// exceeds the tolerance without it: it lies next to a discontinuity, where the reference and the
// oracle take different branches, or it is ill-conditioned. Its wide tolerance is its own and widens
// that of no other element. One element in 1000, and one in an output of 100 or more, may differ from
// the oracle by max(s, |oracle|) / 8, but not by more than 32 times what a few roundings of the
// inputs and parameters change in that element's oracle. Where these roundings change all of an
// output by more than its own s, as those of equal elements that a layer norm takes for its mean, a
// is at least the root mean square of what they change, if that is at most s0 / 64. The reference may
// be exact by chance where
// the result is ill-conditioned, as that of tanh() is where a long running sum crosses zero. An
// element that is unfinished is well-conditioned, and is wrong. Elements where only
// one of the reference and the oracle is finite are loose too, and left out. Oracles beyond the
// dtype's range count as infinite, and float64's largest number, which nan_to_num() and finfo.max
// make, as that of the dtype; it is compared and is no part of s. For long sums, where the order of
// summation alone changes float32 by more than that, r = 1e-2 and a = r s, without a bound. The
// shares 1/100, 1/1000, 1/64 and 1/8 were chosen on the tests of comparison_test.cc, 48 drawn tasks
// and one running sum, not on tasks kept aside.
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

// What is known of one output of the reference. It borrows all tensors.
struct ExpectedOutput {
  const TensorValues& values;
  const TensorValues* oracle = nullptr;  // The same in float64, if it runs there.
  // The oracle for inputs that differ by roundings; without it no element counts as
  // ill-conditioned.
  const TensorValues* nudged = nullptr;
  const Selection* selection = nullptr;  // If the output is indices.
  double own_scale = 0.0;                // s0, or 0 if there is no such trial.
};

// Integers and bools have to be equal; indices that are as good as the expected ones (selection.h)
// are accepted too, except by a rule of allclose(). With `elements` (ascending), only these are
// compared, and the scale of the tolerance comes from these alone.
OutputComparison CompareOutputs(const ExpectedOutput& expected, const TensorValues& got,
                                ToleranceRule rule,
                                const std::vector<std::int64_t>* elements = nullptr);

// Whether a comparison with an output says something about a candidate: at most one in 100 elements
// is loose, and e is at most s / 64.
bool CanDecide(const ExpectedOutput& expected, ToleranceRule rule);

// s: the root mean square of the oracle where it and the reference are finite; 0 for integers and
// bools.
double ScaleOf(const ExpectedOutput& expected);

}  // namespace kernelmill
