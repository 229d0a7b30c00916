#include "corpora/operators/rules/range_rules.h"

#include <array>

namespace kernelmill {
namespace {

struct Limits {
  double low, high;
};

constexpr std::array<Limits, 10> kLimits = {{{0, 1},
                                             {0, 255},
                                             {-128, 127},
                                             {-32768, 32767},
                                             {-2147483648.0, 2147483647.0},
                                             {-9223372036854775808.0, 9223372036854775807.0},
                                             {-65000, 65000},
                                             {-1e38, 1e38},
                                             {-1e38, 1e38},
                                             {-1e308, 1e308}}};

}  // namespace

bool AddRange(DType dtype, Range range, Ranges* results) {
  const Limits& limits = kLimits[static_cast<std::size_t>(dtype)];
  const bool inside = range.low >= limits.low && range.high <= limits.high;
  if (IsFloating(dtype)) {
    if (!inside) return false;  // Also when a bound is NaN.
  } else if (!inside) {
    range = dtype == DType::kBool ? Range{0, 1, 1} : Range::Uniform(limits.low, limits.high);
  }
  range.scale = std::fmin(range.scale, std::fmax(std::fabs(range.low), std::fabs(range.high)));
  results->push_back(range);
  return true;
}

double MeanOf(const Range& range) {
  if (range.low >= 0) return range.scale;
  if (range.high <= 0) return -range.scale;
  const double balance = range.high + range.low;
  return range.scale * balance / std::fmax(range.high, -range.low);
}

Range SumOf(const Range& range, std::int64_t count) {
  const double n = static_cast<double>(count);
  const double mean = n * MeanOf(range);
  const double deviation = std::sqrt(n) * range.scale;
  return {std::fmax(n * range.low, std::fmin(mean, 0) - 7 * deviation),
          std::fmin(n * range.high, std::fmax(mean, 0) + 7 * deviation),
          std::hypot(mean, deviation)};
}

Range DotOf(const Range& a, const Range& b, std::int64_t count) {
  const Range product = ProductOf(a, b);
  const double n = static_cast<double>(std::max<std::int64_t>(count, 1));
  Range sum = SumOf(product, count);
  const double more = (14 / std::sqrt(n) + 1) * std::sqrt(n) * product.scale;
  sum.low = std::fmax(n * product.low, sum.low - more);
  sum.high = std::fmin(n * product.high, sum.high + more);
  return sum;
}

Range ProductOf(const Range& a, const Range& b) {
  const double corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4),
          a.scale * b.scale};
}

Range PlusOf(const Range& a, const Range& b) {
  const double mean = MeanOf(a) + MeanOf(b);
  const double variance = std::fmax(0, a.scale * a.scale - MeanOf(a) * MeanOf(a)) +
                          std::fmax(0, b.scale * b.scale - MeanOf(b) * MeanOf(b));
  return {a.low + b.low, a.high + b.high, std::sqrt(mean * mean + variance)};
}

Range HullOf(const Range& a, const Range& b) {
  return {std::fmin(a.low, b.low), std::fmax(a.high, b.high), std::fmax(a.scale, b.scale)};
}

bool RangeOfFirstOperand(const OperatorUse&, std::span<const Range> operands, Ranges* results) {
  results->push_back(operands[0]);
  return true;
}

bool RangeOfHull(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  Range hull = operands[0];
  for (std::size_t i = 1; i < operands.size(); ++i) {
    if (use.Has(int(i))) hull = HullOf(hull, operands[i]);
  }
  results->push_back(hull);
  return true;
}

bool RangeOfWave(const OperatorUse&, std::span<const Range>, Ranges* results) {
  results->push_back({-1, 1, 0.70710678});
  return true;
}

bool RangeOfBool(const OperatorUse&, std::span<const Range>, Ranges* results) {
  results->push_back({0, 1, 0.70710678});
  return true;
}

}  // namespace kernelmill
