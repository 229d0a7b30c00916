#include "corpora/operators/size_formula.h"

namespace kernelmill {

std::int64_t SizeFormula::Value(std::span<const std::int64_t> values) const {
  std::int64_t value = scale;
  for (const std::int16_t factor : factors) {
    if (factor != kNoVariable) value *= values[factor];
  }
  if (addend != kNoVariable) value += values[addend];
  value += offset;
  const std::int64_t quotient = value / divisor;
  return quotient - (value % divisor < 0);
}

}  // namespace kernelmill
