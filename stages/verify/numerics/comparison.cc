#include "stages/verify/numerics/comparison.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "corpora/tolerance.h"

namespace kernelmill {
namespace {

constexpr double kOracleSlack = 8.0;
constexpr std::int64_t kMostLoose = 100;       // One element in so many.
constexpr double kMostError = 1.0 / 64;        // Of the root mean square of the oracle.
constexpr std::int64_t kMostSensitive = 1000;  // One element in so many, and one in kMostLoose.
constexpr double kConditionSlack = 32.0;

double RelativeTolerance(const std::string& dtype, ToleranceRule rule) {
  if (rule == ToleranceRule::kLongSums || rule == ToleranceRule::kCloseTo1Percent) return 1e-2;
  return ToleranceOf(dtype);
}

// The elements to compare: all `size` elements, or those of a list.
class Elements {
 public:
  Elements(std::int64_t size, const std::vector<std::int64_t>* list)
      : list_(list), count_(list == nullptr ? size : static_cast<std::int64_t>(list->size())) {}
  std::int64_t count() const { return count_; }
  std::int64_t operator[](std::int64_t i) const {
    return list_ == nullptr ? i : (*list_)[static_cast<std::size_t>(i)];
  }

 private:
  const std::vector<std::int64_t>* list_;
  std::int64_t count_;
};

double RootMeanSquare(const std::vector<double>& numbers) {
  double squares = 0.0;
  for (const double number : numbers) squares += number * number;
  return numbers.empty() ? 0.0 : std::sqrt(squares / static_cast<double>(numbers.size()));
}

struct ReferenceError {
  double error = 0.0;   // Of the reference against its oracle.
  double energy = 0.0;  // The square of the smaller of both.
};

// The errors without the largest ones: without at most one in kMostLoose of them, which have at
// most that share of the energy. Errors at discontinuities are among the largest, but so are those
// of the few elements that matter in the result of a softmax, and these count.
std::vector<double> WithoutLargest(std::vector<ReferenceError> errors) {
  const auto candidates = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / kMostLoose);
  std::partial_sort(errors.begin(), candidates, errors.end(),
                    [](const auto& a, const auto& b) { return a.error > b.error; });
  double energy = 0.0;
  for (const ReferenceError& error : errors) energy += error.energy / kMostLoose;
  auto first = errors.begin();
  for (; first != candidates && energy >= first->energy; ++first) energy -= first->energy;
  std::vector<double> kept;
  for (; first != errors.end(); ++first) kept.push_back(first->error);
  return kept;
}

// From this number on, numbers are rounded to infinity in a floating-point format.
double OverflowOf(std::string_view dtype) {
  if (dtype == "float16") return 65520.0;
  return dtype == "float64" ? INFINITY : std::ldexp(1.0, 128);  // bfloat16: nearly.
}

// The largest number of a floating-point format.
double LargestOf(std::string_view dtype) {
  if (dtype == "float16") return 65504.0;
  if (dtype == "bfloat16") return std::ldexp(255.0, 120);
  return dtype == "float64" ? DBL_MAX : FLT_MAX;
}

bool Close(double expected, double got, double tolerance) {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  if (std::isinf(expected) || std::isinf(got)) return expected == got;
  return std::abs(got - expected) <= tolerance;
}

// The reference's values of one output, its oracle's, and the tolerance that follows from both.
class ExpectedValues {
 public:
  ExpectedValues(const ExpectedOutput& expected, ToleranceRule rule, const Elements& elements)
      : expected_(expected.values),
        oracle_(IsAllClose(rule) ? nullptr : expected.oracle),
        overflow_(OverflowOf(expected_.dtype())),
        largest_(LargestOf(expected_.dtype())),
        relative_(RelativeTolerance(expected_.dtype(), rule)),
        absolute_(relative_) {
    const bool long_sums = rule == ToleranceRule::kLongSums;
    if (oracle_ == nullptr && !long_sums) return;
    std::vector<double> values;
    std::vector<ReferenceError> errors;
    for (std::int64_t at = 0; at < elements.count(); ++at) {
      const double exact = Oracle(elements[at]), rounded = Expected(elements[at]);
      if (!std::isfinite(exact - rounded) || std::abs(exact) == largest_) continue;
      values.push_back(exact);
      errors.push_back({std::abs(exact - rounded), std::min(exact * exact, rounded * rounded)});
    }
    scale_ = RootMeanSquare(values);
    error_ = RootMeanSquare(WithoutLargest(std::move(errors)));
    const double growth = expected.own_scale > 0.0 ? scale_ / expected.own_scale : 1.0;
    absolute_ = relative_ * (long_sums ? scale_ : std::min(std::max(1.0, growth), scale_));
    if (oracle_ != nullptr && expected.nudged != nullptr) {
      const double noise = NoiseIn(*expected.nudged, elements);
      if (noise > scale_ && noise <= kMostError * expected.own_scale) {
        absolute_ = std::max(absolute_, noise);
      }
    }
  }

  bool IsCompared(std::int64_t i) const {
    return std::isfinite(Expected(i)) == std::isfinite(Oracle(i));
  }
  bool IsLoose(std::int64_t i) const {
    if (!IsCompared(i)) return true;
    const double oracle = Oracle(i);
    return std::isfinite(oracle) &&
           std::abs(Expected(i) - oracle) > Tolerance(oracle) + kOracleSlack * TypicalError(oracle);
  }
  double scale() const { return scale_; }
  bool IsExact() const { return error_ <= kMostError * scale_; }
  bool Accepts(std::int64_t i, double got) const {
    const double expected = Expected(i), oracle = Oracle(i);
    if (Close(expected, got, Tolerance(expected))) return true;
    const double unavoidable = std::max(std::abs(expected - oracle), TypicalError(oracle));
    return oracle_ != nullptr && std::isfinite(expected) &&
           Close(oracle, got, Tolerance(oracle) + kOracleSlack * unavoidable);
  }
  // `nudged`: the oracle's value for inputs that differ by roundings.
  bool IsSensitive(std::int64_t i, double nudged, double got) const {
    const double oracle = Oracle(i);
    if (oracle_ == nullptr || !std::isfinite(oracle)) return false;
    const double most = kOracleSlack * kMostError * std::max(scale_, std::abs(oracle));
    const double change = kConditionSlack * std::abs(nudged - oracle);
    return Close(oracle, got, std::isfinite(change) ? std::min(most, change) : most);
  }

 private:
  double Expected(std::int64_t i) const { return expected_.At(i); }
  double Oracle(std::int64_t i) const {
    if (oracle_ == nullptr) return Expected(i);
    const double value = oracle_->At(i);
    if (std::abs(value) == DBL_MAX) return std::copysign(largest_, value);
    return std::abs(value) >= overflow_ ? std::copysign(INFINITY, value) : value;
  }
  // The root mean square of what roundings of the inputs change in the oracle.
  double NoiseIn(const TensorValues& nudged, const Elements& elements) const {
    std::vector<double> changes;
    for (std::int64_t at = 0; at < elements.count(); ++at) {
      const double change = nudged.At(elements[at]) - Oracle(elements[at]);
      if (std::isfinite(change)) changes.push_back(change);
    }
    return RootMeanSquare(changes);
  }
  double TypicalError(double value) const {
    return scale_ > 0.0 ? error_ * std::max(1.0, std::abs(value) / scale_) : error_;
  }
  double Tolerance(double value) const { return absolute_ + relative_ * std::abs(value); }

  const TensorValues& expected_;
  const TensorValues* oracle_;
  double overflow_, largest_, relative_, absolute_;
  double scale_ = 0.0, error_ = 0.0;
};

void CompareIntegers(const TensorValues& expected, const TensorValues& got,
                     const Elements& elements, OutputComparison* result) {
  for (std::int64_t at = 0; at < elements.count(); ++at) {
    const std::int64_t i = elements[at];
    if (expected.IntegerAt(i) != got.IntegerAt(i)) result->wrong.push_back(i);
  }
  result->compared = elements.count();
}

}  // namespace

bool CanDecide(const ExpectedOutput& expected, ToleranceRule rule) {
  if (!expected.values.is_floating()) return true;
  const Elements all(expected.values.size(), nullptr);
  const ExpectedValues values(expected, rule, all);
  std::int64_t loose = 0;
  for (std::int64_t i = 0; i < all.count(); ++i) loose += values.IsLoose(i);
  return values.IsExact() && loose * kMostLoose <= all.count();
}

double ScaleOf(const ExpectedOutput& expected) {
  if (!expected.values.is_floating()) return 0.0;
  const Elements all(expected.values.size(), nullptr);
  return ExpectedValues(expected, ToleranceRule::kLongSums, all).scale();
}

OutputComparison CompareOutputs(const ExpectedOutput& expected, const TensorValues& got,
                                ToleranceRule rule, const std::vector<std::int64_t>* listed) {
  OutputComparison result;
  const TensorValues& want = expected.values;
  if (want.shape() != got.shape()) {
    result.fault = OutputFault::kShape;
  } else if (want.dtype() != got.dtype()) {
    result.fault = OutputFault::kDtype;
  }
  if (result.fault != OutputFault::kNone) return result;
  const Elements elements(want.size(), listed);
  if (expected.selection != nullptr && !IsAllClose(rule)) {
    result.wrong = expected.selection->Wrong(want, got, listed);
    result.compared = elements.count();
  } else if (!want.is_floating()) {
    CompareIntegers(want, got, elements, &result);
  } else {
    const ExpectedValues values(expected, rule, elements);
    for (std::int64_t at = 0; at < elements.count(); ++at) {
      const std::int64_t i = elements[at];
      if (!values.IsCompared(i)) continue;
      ++result.compared;
      if (!values.Accepts(i, got.At(i))) result.wrong.push_back(i);
    }
    const std::int64_t at_least = result.compared >= kMostLoose ? 1 : 0;
    const std::int64_t allowed = std::max(result.compared / kMostSensitive, at_least);
    if (expected.nudged != nullptr && std::ssize(result.wrong) <= allowed &&
        std::all_of(result.wrong.begin(), result.wrong.end(), [&](std::int64_t i) {
          return values.IsSensitive(i, expected.nudged->At(i), got.At(i));
        })) {
      result.wrong.clear();
    }
  }
  if (!result.wrong.empty()) result.fault = OutputFault::kValues;
  return result;
}

}  // namespace kernelmill
