// How long a request that failed waits before it is sent again, in `sample` and in the phase
// `fetch`: each time twice as long, up to a minute, and less by a part drawn at random, so that
// requests that failed together do not come back together.
#pragma once

#include <chrono>
#include <cstdint>

namespace kernelmill {

class RetryWait {
 public:
  RetryWait(std::chrono::milliseconds first, std::uint64_t seed) : first_(first), state_(seed) {}

  // Before the try number `failures` + 1, after `failures` >= 1 tries: from half of the time to all
  // of it.
  std::chrono::milliseconds After(int failures);

 private:
  std::chrono::milliseconds first_;
  std::uint64_t state_;  // Of a sequence of SplitMix64 (manifests/split_mix.h).
};

}  // namespace kernelmill
