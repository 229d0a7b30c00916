#include "stages/scores/pass_at_k.h"

namespace kernelmill {

double PassAtK(std::int64_t samples, std::int64_t correct, std::int64_t k) {
  const std::int64_t wrong = samples - correct;
  if (wrong < k) return 1.0;
  // The quotient of the binomials as a product of factors of at most 1, which cannot overflow.
  double none = 1.0;
  for (std::int64_t i = wrong + 1; i <= samples; ++i) {
    none *= 1.0 - static_cast<double>(k) / static_cast<double>(i);
  }
  return 1.0 - none;
}

}  // namespace kernelmill
