// What the rows' range functions share. Operands are taken for independent of each other, and their
// elements for independent too: bounds hold in practice, not for every input that one could think
// of.
#pragma once

#include <cmath>
#include <vector>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

using Ranges = std::vector<Range>;

// Appends `range` for a result of `dtype`: integers wrap around and have their dtype's range where
// it is left. False where a floating number may leave what its dtype holds.
bool AddRange(DType dtype, Range range, Ranges* results);

// An estimate of how far the mean lies from 0: the scale where all values have one sign, little
// where they lie around 0.
double MeanOf(const Range& range);

// Of the sum of `count` such values.
Range SumOf(const Range& range, std::int64_t count);
// Of the sum of `count` products: those of normal numbers reach further than normal numbers do.
Range DotOf(const Range& a, const Range& b, std::int64_t count);
Range ProductOf(const Range& a, const Range& b);
Range PlusOf(const Range& a, const Range& b);
inline Range Scaled(const Range& range, double factor) {
  return factor >= 0 ? Range{factor * range.low, factor * range.high, factor * range.scale}
                     : Range{factor * range.high, factor * range.low, -factor * range.scale};
}
// That holds both.
Range HullOf(const Range& a, const Range& b);
// Of a function whose values lie in [low, high] for arguments of this range, f's scale taken at a
// few arguments that are typical of it.
template <typename Function>
Range Through(const Function& f, const Range& range, double low, double high) {
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

// Range functions of elementwise operators of one operand. The result is of a floating dtype where
// `floating`, else of the operand's.

// Of one that does not fall.
template <auto f, bool floating = true>
bool RangeRising(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const DType dtype = use.operand(0).dtype;
  const Range& range = operands[0];
  return AddRange(floating && !IsFloating(dtype) ? DType::kFloat32 : dtype,
                  Through(f, range, f(range.low), f(range.high)), results);
}

// Of one that does not rise.
template <auto f, bool floating = true>
bool RangeFalling(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const DType dtype = use.operand(0).dtype;
  const Range& range = operands[0];
  return AddRange(floating && !IsFloating(dtype) ? DType::kFloat32 : dtype,
                  Through(f, range, f(range.high), f(range.low)), results);
}

// The same where arguments have to lie in [from, to].
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

// Of one that falls up to `bottom` and rises from there.
template <auto f, bool floating, double bottom>
bool RangeValley(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const DType dtype = use.operand(0).dtype;
  const Range& range = operands[0];
  const double least = std::fmin(std::fmax(bottom, range.low), range.high);
  return AddRange(floating && !IsFloating(dtype) ? DType::kFloat32 : dtype,
                  Through(f, range, f(least), std::fmax(f(range.low), f(range.high))), results);
}

// Of one that reaches from -1 to 1 within little.
bool RangeOfWave(const OperatorUse& use, std::span<const Range> operands, Ranges* results);
// The results hold what the first operand holds.
bool RangeOfFirst(const OperatorUse& use, std::span<const Range> operands, Ranges* results);
// The result holds what all operands hold.
bool RangeOfAll(const OperatorUse& use, std::span<const Range> operands, Ranges* results);
bool RangeOfTruth(const OperatorUse& use, std::span<const Range> operands, Ranges* results);

}  // namespace kernelmill
