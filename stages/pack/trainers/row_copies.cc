#include "stages/pack/trainers/row_copies.h"

#include <cmath>
#include <string>

namespace kernelmill {

std::int64_t CopiesOf(const Digest& content_id, double weight, std::int64_t seed) {
  const Digest hash =
      Sha256().Field("row copies").Field(content_id.AsKey()).Field(std::to_string(seed)).Finish();
  // 53 bits, as many as a double has: from 0 to less than 1.
  const double draw = std::ldexp(static_cast<double>(hash.Prefix64() >> 11), -53);
  const double whole = std::floor(weight);
  return static_cast<std::int64_t>(whole) + (draw < weight - whole ? 1 : 0);
}

}  // namespace kernelmill
