// Range functions that rows of the operator table share: from the ranges of the operands' values
// they estimate the range of the results' values, so that the generator of tasks can refuse graphs
// that overflow. They treat operands and elements as independent, so a sum of n values grows with
// the square root of n: the bounds hold in practice but not for every conceivable input. A Range*
// template returns false when the operator is not defined on the range.
#pragma once

#include <cmath>
#include <vector>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

using Ranges = std::vector<Range>;

// Appends `range` for a result of `dtype`. An integer range that the dtype cannot hold becomes the
// dtype's full range, because integers wrap around. False when a floating-point value may overflow.
bool AddRange(DType dtype, Range range, Ranges* results);

// An estimate of the mean's distance from 0: the scale if all values have one sign, little if they
// lie around 0.
double MeanOf(const Range& range);

// The range of the sum of `count` such values.
Range SumOf(const Range& range, std::int64_t count);
// The range of the sum of `count` products. Products of normal numbers have longer tails than
// normal numbers.
Range DotOf(const Range& a, const Range& b, std::int64_t count);
Range ProductOf(const Range& a, const Range& b);
Range PlusOf(const Range& a, const Range& b);
inline Range Scaled(const Range& range, double factor) {
  return factor >= 0 ? Range{factor * range.low, factor * range.high, factor * range.scale}
                     : Range{factor * range.high, factor * range.low, -factor * range.scale};
}
// The smallest range that contains both.
Range HullOf(const Range& a, const Range& b);
// The range of f(x) for x in `range`, given that f's values lie in [low, high]. The scale is
// estimated from f at three typical arguments.
template <typename Function>
Range RangeOfFunction(const Function& f, const Range& range, double low, double high) {
  const double mean = MeanOf(range);
  const double deviation =
      std::sqrt(std::max(0.0, range.scale * range.scale - mean * mean)) * 1.7320508;
  const auto at = [&](double x) {
    const double y = f(std::fmin(std::fmax(x, range.low), range.high));
    return y * y;
  };
  const double square = (at(mean - deviation) + 4 * at(mean) + at(mean + deviation)) / 6;
  return {low, high, std::sqrt(square)};
}

// Range functions of elementwise operators with one operand. The result has a floating dtype if
// `floating` is true, otherwise the operand's dtype.

// `f` is non-decreasing.
template <auto f, bool floating = true>
bool RangeRising(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const DType dtype = use.operand(0).dtype;
  const Range& range = operands[0];
  return AddRange(floating && !IsFloating(dtype) ? DType::kFloat32 : dtype,
                  RangeOfFunction(f, range, f(range.low), f(range.high)), results);
}

// `f` is non-increasing.
template <auto f, bool floating = true>
bool RangeFalling(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const DType dtype = use.operand(0).dtype;
  const Range& range = operands[0];
  return AddRange(floating && !IsFloating(dtype) ? DType::kFloat32 : dtype,
                  RangeOfFunction(f, range, f(range.high), f(range.low)), results);
}

// The same for functions that are defined on [from, to].
template <auto f, double from, double to>
bool RangeRisingWithin(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return operands[0].low >= from && operands[0].high <= to &&
         RangeRising<f>(use, operands, results);
}
template <auto f, double from, double to>
bool RangeFallingWithin(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return operands[0].low >= from && operands[0].high <= to &&
         RangeFalling<f>(use, operands, results);
}

// `f` decreases up to `bottom` and increases from there.
template <auto f, bool floating, double bottom>
bool RangeValley(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const DType dtype = use.operand(0).dtype;
  const Range& range = operands[0];
  const double least = std::fmin(std::fmax(bottom, range.low), range.high);
  return AddRange(floating && !IsFloating(dtype) ? DType::kFloat32 : dtype,
                  RangeOfFunction(f, range, f(least), std::fmax(f(range.low), f(range.high))),
                  results);
}

// For sine and the like: the result's range is [-1, 1] whatever the operand's range.
bool RangeOfWave(const OperatorUse& use, std::span<const Range> operands, Ranges* results);
// All results have the range of the first operand.
bool RangeOfFirstOperand(const OperatorUse& use, std::span<const Range> operands, Ranges* results);
// The result has the hull of the ranges of all operands.
bool RangeOfHull(const OperatorUse& use, std::span<const Range> operands, Ranges* results);
// The result is a bool.
bool RangeOfBool(const OperatorUse& use, std::span<const Range> operands, Ranges* results);

}  // namespace kernelmill
