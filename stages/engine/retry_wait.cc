#include "stages/engine/retry_wait.h"

#include <algorithm>

#include "manifests/split_mix.h"

namespace kernelmill {

std::chrono::milliseconds RetryWait::After(int failures) {
  constexpr std::chrono::milliseconds kLongest = std::chrono::minutes(1);
  constexpr int kMostDoublings = 16;
  const std::chrono::milliseconds whole =
      std::min(first_ * (1 << std::clamp(failures - 1, 0, kMostDoublings)), kLongest);
  const std::uint64_t half = static_cast<std::uint64_t>(whole.count()) / 2;
  const std::uint64_t drawn = NextMixedBits(&state_) % (half + 1);
  return whole - std::chrono::milliseconds(drawn);
}

}  // namespace kernelmill
