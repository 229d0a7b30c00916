#include "generators/feedback/error_patterns.h"

namespace kernelmill {

const std::vector<ErrorPattern>& AllErrorPatterns() {
  static const std::vector<ErrorPattern> kPatterns = {
      {"not_written",
       "these elements were never written, or were computed from memory that was never written or "
       "lies beyond a tensor's end: "
       "check that the grid covers the whole output, including the last, partial block, and that "
       "shared memory is set before it is read",
       "nothing wrote these elements, or they come from memory that nothing wrote"},
      {"not_finite",
       "a value left the range of its type, or zero was divided by zero: subtract the maximum "
       "before "
       "an exponential, and keep divisors and arguments of roots and logarithms above zero",
       "an overflow, or a zero divided by zero"},
      {"wrong_identity",
       "the elements that should lie on the other side of zero are zero: start a maximum at minus "
       "infinity and a minimum at infinity",
       "a search that starts at zero"},
      {"truncated",
       "the values have lost what stands behind the point: look for an integer type or "
       "a division of integers",
       "an integer where a float should be"},
      {"repeated_row",
       "each row holds the values of the first: the row is missing from the index computation",
       "no row in the index"},
      {"zeros", "these elements are zero: check that every block writes its result",
       "not every block writes its result"},
      {"boundary",
       "the errors begin at a boundary: check the tail of the last block and the bounds of loops",
       "the tail of a block, or the end of a loop"},
      {"imprecise",
       "the values are close but not close enough: look for a narrower type, a fast approximation "
       "or a sum that loses digits",
       "digits get lost: a narrow type, a fast function, a long sum"},
      {"factor",
       "a constant factor is missing or applied twice: look at scales, divisors of means, and "
       "whether a kernel runs twice over the same output",
       "a scale or divisor, missing or used twice"},
      {"transposed", "rows and columns are exchanged in the index computation",
       "rows and columns exchanged"},
      {"shifted_element", "the values belong to a neighbouring element: an index is off by one",
       "an index off by one"},
      {"shifted_row", "the values belong to a neighbouring row: a row index is off by one",
       "a row index off by one"},
      {"large_sizes",
       "the kernel is right at smaller sizes: look for index arithmetic that leaves 32 bits, and "
       "for grids and loops with a fixed upper limit",
       "32-bit indices, or a fixed limit of a grid or loop"},
      {"offset",
       "a constant is missing or added twice: look at biases and at the start value of sums",
       "a bias or a start value, missing or used twice"},
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
