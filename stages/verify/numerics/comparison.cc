#include "stages/verify/numerics/comparison.h"

#include <algorithm>
#include <cmath>

#include "corpora/tolerance.h"

namespace kernelmill {
namespace {

constexpr double kOracleSlack = 8.0;

double RelativeTolerance(const std::string& dtype, ToleranceRule rule) {
  if (rule == ToleranceRule::kLongSums) return 1e-2;
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

struct OracleScale {
  double rms = 0.0;
  double error = 0.0;  // The largest error of the reference in its own precision.
};

OracleScale ScaleOf(const TensorValues& expected, const TensorValues& oracle,
                    const Elements& elements) {
  OracleScale scale;
  double squares = 0.0;
  std::int64_t count = 0;
  for (std::int64_t at = 0; at < elements.count(); ++at) {
    const double exact = oracle.At(elements[at]), rounded = expected.At(elements[at]);
    if (!std::isfinite(exact) || !std::isfinite(rounded)) continue;
    squares += exact * exact;
    scale.error = std::max(scale.error, std::abs(exact - rounded));
    ++count;
  }
  if (count > 0) scale.rms = std::sqrt(squares / static_cast<double>(count));
  return scale;
}

bool Close(double expected, double got, double absolute, double relative) {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  if (std::isinf(expected) || std::isinf(got)) return expected == got;
  return std::abs(got - expected) <= absolute + relative * std::abs(expected);
}

void CompareIntegers(const TensorValues& expected, const TensorValues& got,
                     const Elements& elements, OutputComparison* result) {
  for (std::int64_t at = 0; at < elements.count(); ++at) {
    const std::int64_t i = elements[at];
    if (expected.IntegerAt(i) != got.IntegerAt(i)) result->wrong.push_back(i);
  }
  result->compared = elements.count();
}

}  // namespace

OutputComparison CompareOutputs(const TensorValues& expected, const TensorValues* oracle,
                                const TensorValues& got, ToleranceRule rule,
                                const std::vector<std::int64_t>* listed,
                                const Selection* selection) {
  OutputComparison result;
  if (expected.shape() != got.shape()) {
    result.fault = OutputFault::kShape;
  } else if (expected.dtype() != got.dtype()) {
    result.fault = OutputFault::kDtype;
  }
  if (result.fault != OutputFault::kNone) return result;
  const Elements elements(expected.size(), listed);
  if (selection != nullptr && rule != ToleranceRule::kKernelBench) {
    result.wrong = selection->Wrong(expected, got, listed);
    result.compared = elements.count();
  } else if (!expected.is_floating()) {
    CompareIntegers(expected, got, elements, &result);
  } else {
    const double relative = RelativeTolerance(expected.dtype(), rule);
    const bool long_sums = rule == ToleranceRule::kLongSums;
    const bool with_oracle = rule != ToleranceRule::kKernelBench && oracle != nullptr;
    OracleScale scale{1.0, 0.0};
    if (with_oracle || long_sums) {
      scale = ScaleOf(expected, with_oracle ? *oracle : expected, elements);
    }
    const double absolute = relative * (long_sums ? scale.rms : std::min(1.0, scale.rms));
    for (std::int64_t at = 0; at < elements.count(); ++at) {
      const std::int64_t i = elements[at];
      const double want = expected.At(i), value = got.At(i);
      if (with_oracle && std::isfinite(want) != std::isfinite(oracle->At(i))) continue;
      ++result.compared;
      if (Close(want, value, absolute, relative)) continue;
      if (with_oracle && std::isfinite(want) &&
          Close(oracle->At(i), value, absolute + kOracleSlack * scale.error, relative)) {
        continue;
      }
      result.wrong.push_back(i);
    }
  }
  if (!result.wrong.empty()) result.fault = OutputFault::kValues;
  return result;
}

}  // namespace kernelmill
