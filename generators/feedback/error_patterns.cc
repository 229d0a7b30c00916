#include "generators/feedback/error_patterns.h"

namespace kernelmill {

const std::vector<ErrorPattern>& AllErrorPatterns() {
  static const std::vector<ErrorPattern> kPatterns = {
      {"not_written",
       "these elements were never written, or were computed from memory that was never "
       "written or lies beyond a tensor's end: check that the grid covers the whole output, "
       "including the last, partial block, and that shared memory is set before it is read"},
      {"not_finite",
       "a value left the range of its type, or zero was divided by zero: subtract the "
       "maximum before an exponential, and keep divisors and arguments of roots and "
       "logarithms above zero"},
      {"wrong_identity",
       "the elements that should lie on the other side of zero are zero: start a maximum at "
       "minus infinity and a minimum at infinity"},
      {"truncated",
       "the values have lost what stands behind the point: look for an integer type or a "
       "division of integers"},
      {"repeated_row",
       "each row holds the values of the first: the row is missing from the index "
       "computation"},
      {"zeros", "these elements are zero: check that every block writes its result"},
      {"boundary",
       "the errors begin at a boundary: check the tail of the last block and the bounds of "
       "loops"},
      {"imprecise",
       "the values are close but not close enough: look for a narrower type, a fast "
       "approximation or a sum that loses digits"},
      {"factor",
       "a constant factor is missing or applied twice: look at scales, divisors of means, "
       "and whether a kernel runs twice over the same output"},
      {"transposed", "rows and columns are exchanged in the index computation"},
      {"shifted_element", "the values belong to a neighbouring element: an index is off by one"},
      {"shifted_row", "the values belong to a neighbouring row: a row index is off by one"},
      {"large_sizes",
       "the kernel is right at smaller sizes: look for index arithmetic that leaves 32 "
       "bits, and for grids and loops with a fixed upper limit"},
      {"offset",
       "a constant is missing or added twice: look at biases and at the start value of sums"},
  };
  return kPatterns;
}

const ErrorPattern* ErrorPatternNamed(std::string_view name) {
  for (const ErrorPattern& pattern : AllErrorPatterns()) {
    if (pattern.name == name) return &pattern;
  }
  return nullptr;
}

std::string_view CauseOfPattern(std::string_view name) {
  const ErrorPattern* const pattern = ErrorPatternNamed(name);
  return pattern == nullptr ? std::string_view() : pattern->cause;
}

}  // namespace kernelmill
