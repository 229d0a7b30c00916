// A tensor size of a generated task that is computed from other sizes: for example an input that
// must fit the output of a convolution. A size variable of an operator graph (operator_graph.h) may
// have such a formula; the others are free.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace kernelmill {

inline constexpr std::int16_t kNoVariable = -1;

// (scale * the product of the factors + addend + offset) / divisor, rounded down. Factors and
// addend are indices of size variables, or kNoVariable.
struct SizeFormula {
  std::array<std::int16_t, 3> factors = {kNoVariable, kNoVariable, kNoVariable};
  std::int16_t addend = kNoVariable;
  std::int64_t scale = 1, offset = 0, divisor = 1;

  bool is_given() const { return factors[0] != kNoVariable; }
  // Whether it equals another variable.
  bool is_copy() const {
    return factors[1] == kNoVariable && addend == kNoVariable && scale == 1 && offset == 0 &&
           divisor == 1;
  }
  // `values` are the values of all variables.
  std::int64_t Value(std::span<const std::int64_t> values) const;
};

}  // namespace kernelmill
