#include "stages/verify/numerics/error_pattern.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace kernelmill {
namespace {

using Values = std::vector<double>;
using Indices = std::vector<std::int64_t>;

// Wider than rounding, narrower than typical mistakes.
constexpr double kRelativeTolerance = 2e-3;
// The share of the wrong elements that a pattern must explain.
constexpr double kExplainedShare = 0.98;

Values Load(const TensorValues& tensor) {
  Values values(static_cast<std::size_t>(tensor.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = tensor.At(static_cast<std::int64_t>(i));
  }
  return values;
}

double Scale(const Values& values) {
  double largest = 0.0;
  for (double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

bool Same(double a, double b, double scale) {
  if (!std::isfinite(a) || !std::isfinite(b)) return false;
  return std::abs(a - b) <= kRelativeTolerance * std::max({std::abs(a), std::abs(b), 1e-3 * scale});
}

// Whether f(i) is true for nearly all elements of `wrong`.
template <typename F>
bool Explains(const Indices& wrong, F f) {
  std::size_t hits = 0;
  for (std::int64_t i : wrong) hits += f(i) ? 1 : 0;
  return static_cast<double>(hits) >= kExplainedShare * static_cast<double>(wrong.size());
}

class Finder {
 public:
  Finder(const TensorValues& expected, const TensorValues& got, const Indices& wrong)
      : shape_(expected.shape()),
        expected_(Load(expected)),
        got_(Load(got)),
        got_values_(got),
        wrong_(wrong),
        scale_(Scale(expected_)) {}

  SeenPattern Find() const {
    const std::string where = Where();
    if (NotWritten()) return {"not_written", where};
    if (NotFinite()) return {"not_finite", where};
    if (WrongIdentity()) return {"wrong_identity", where};
    if (AllZero()) return {"zeros", where};
    for (const Rule& rule : kRules) {
      std::string detail;
      if ((this->*rule.test)(&detail)) {
        return {rule.name, where + (where.empty() || detail.empty() ? "" : "; ") + detail};
      }
    }
    return {where.empty() ? "" : "boundary", where};
  }

 private:
  struct Rule {
    std::string_view name;
    bool (Finder::*test)(std::string*) const;
  };
  static const Rule kRules[8];

  double expected(std::int64_t i) const { return expected_[static_cast<std::size_t>(i)]; }
  double got(std::int64_t i) const { return got_[static_cast<std::size_t>(i)]; }
  std::int64_t size() const { return static_cast<std::int64_t>(expected_.size()); }

  bool NotWritten() const {
    return Explains(wrong_, [&](std::int64_t i) { return got_values_.IsFreshNan(i); });
  }
  bool NotFinite() const {
    return Explains(wrong_, [&](std::int64_t i) {
      return std::isfinite(expected(i)) && !std::isfinite(got(i));
    });
  }
  bool AllZero() const {
    return Explains(wrong_, [&](std::int64_t i) { return got(i) == 0.0; });
  }

  // The result is zero exactly where all values have one sign: a maximum or minimum that was
  // initialised with zero.
  bool WrongIdentity() const {
    if (!AllZero() || static_cast<std::int64_t>(wrong_.size()) == size()) return false;
    const bool negative = expected(wrong_.front()) < 0.0;
    std::size_t of_this_sign = 0;
    for (const double value : expected_) of_this_sign += negative ? value < 0.0 : value > 0.0;
    return of_this_sign == wrong_.size() &&
           std::all_of(wrong_.begin(), wrong_.end(),
                       [&](std::int64_t i) { return (expected(i) < 0.0) == negative; });
  }

  // The result is the expected value truncated to an integer.
  bool Truncated(std::string*) const {
    return wrong_.size() > 1 && Explains(wrong_, [&](std::int64_t i) {
             return got(i) == std::trunc(expected(i)) && !Same(got(i), expected(i), scale_);
           });
  }

  // Every row holds the values of the first row.
  bool RepeatedRow(std::string*) const {
    if (shape_.size() < 2 || wrong_.size() < 2) return false;
    const std::int64_t columns = shape_.back();
    return size() > columns && Explains(wrong_, [&](std::int64_t i) {
             return Same(got(i), expected(i % columns), scale_);
           });
  }

  bool Factor(std::string* detail) const {
    double factor = 0.0;
    for (std::int64_t i : wrong_) {
      if (std::abs(expected(i)) > 0.1 * scale_ && std::isfinite(got(i))) {
        factor = got(i) / expected(i);
        break;
      }
    }
    if (factor == 0.0 || !std::isfinite(factor) || wrong_.size() < 2) return false;
    if (Same(factor, 1.0, 1.0) || !Explains(wrong_, [&](std::int64_t i) {
          return Same(got(i), factor * expected(i), scale_);
        }))
      return false;
    char text[64];
    std::snprintf(text, sizeof(text), "each is %.4g times what it should be", factor);
    *detail = text;
    return true;
  }

  bool Offset(std::string* detail) const {
    const double offset = got(wrong_.front()) - expected(wrong_.front());
    if (!std::isfinite(offset) || wrong_.size() < 3 || !Explains(wrong_, [&](std::int64_t i) {
          return Same(got(i) - expected(i), offset, scale_);
        }))
      return false;
    char text[64];
    std::snprintf(text, sizeof(text), "each is off by %.4g", offset);
    *detail = text;
    return true;
  }

  // got[…, r, c] holds the value of […, c, r], stored with the strides of either shape.
  bool Transposed(std::string*) const {
    if (shape_.size() < 2) return false;
    const std::int64_t rows = shape_[shape_.size() - 2], columns = shape_.back();
    if (rows < 2 || columns < 2 || wrong_.size() < 2) return false;
    const std::int64_t plane = rows * columns;
    return Explains(wrong_, [&](std::int64_t i) {
      const std::int64_t start = i / plane * plane, k = i % plane;
      return Same(got(i), expected(start + k % rows * columns + k / rows), scale_);
    });
  }

  bool ShiftedBy(std::int64_t step) const {
    return step > 0 && step < size() &&
           (Explains(
                wrong_,
                [&](std::int64_t i) {
                  return i + step >= size() || Same(got(i), expected(i + step), scale_);
                }) ||
            Explains(
                wrong_,
                [&](std::int64_t i) {
                  return i < step || Same(got(i), expected(i - step), scale_);
                }));
  }
  bool ShiftedElement(std::string*) const { return wrong_.size() > 3 && ShiftedBy(1); }
  bool ShiftedRow(std::string*) const {
    return shape_.size() > 1 && wrong_.size() > 3 && ShiftedBy(shape_.back());
  }

  // Values are nearly right, as with a less precise type or function.
  bool Imprecise(std::string*) const {
    return Explains(wrong_, [&](std::int64_t i) {
      return std::abs(got(i) - expected(i)) <= 2e-2 * std::max(std::abs(expected(i)), 0.1 * scale_);
    });
  }

  // A bound on one index that separates the wrong elements from the right ones; the outermost
  // dimension comes first.
  std::string Where() const {
    if (static_cast<std::int64_t>(wrong_.size()) == size() || size() == 0) return "";
    std::int64_t inner = size();
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      const std::int64_t extent = shape_[d];
      inner /= std::max<std::int64_t>(extent, 1);
      Indices count(static_cast<std::size_t>(extent));
      for (std::int64_t i : wrong_) ++count[static_cast<std::size_t>(i / inner % extent)];
      const std::int64_t whole = size() / std::max<std::int64_t>(extent, 1);
      const auto full = [&](std::int64_t n) {
        return static_cast<double>(n) >= kExplainedShare * static_cast<double>(whole);
      };
      std::int64_t first = 0;
      while (first < extent && count[static_cast<std::size_t>(first)] == 0) ++first;
      if (first > 0 && first < extent && std::all_of(count.begin() + first, count.end(), full)) {
        return "where index " + std::to_string(d) + " is " + std::to_string(first) + " or more";
      }
      if (extent > 1 && full(count[0]) &&
          std::all_of(count.begin() + 1, count.end(), [](std::int64_t n) { return n == 0; })) {
        return "where index " + std::to_string(d) + " is 0";
      }
    }
    const std::int64_t first = wrong_.front();
    if (first > 0 && size() - first == static_cast<std::int64_t>(wrong_.size())) {
      return "from element " + std::to_string(first) + " on, counted row by row";
    }
    return "";
  }

  const Indices& shape_;
  const Values expected_;
  const Values got_;
  const TensorValues& got_values_;
  const Indices& wrong_;
  const double scale_;
};

// Exact explanations come before the approximate one.
const Finder::Rule Finder::kRules[8] = {
    {"truncated", &Finder::Truncated},
    {"offset", &Finder::Offset},
    {"imprecise", &Finder::Imprecise},
    {"factor", &Finder::Factor},
    {"transposed", &Finder::Transposed},
    {"repeated_row", &Finder::RepeatedRow},
    {"shifted_element", &Finder::ShiftedElement},
    {"shifted_row", &Finder::ShiftedRow},
};

}  // namespace

SeenPattern FindErrorPattern(const TensorValues& expected, const TensorValues& got,
                             const std::vector<std::int64_t>& wrong) {
  return Finder(expected, got, wrong).Find();
}

}  // namespace kernelmill
