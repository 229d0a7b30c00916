// SplitMix64, as manifests/split_mix.h has it. The executor is compiled together with candidates,
// in a sandbox that has the executor's folder only.
#pragma once

#include <cstdint>

namespace kernelmill {

inline constexpr std::uint64_t kSplitMixStep = 0x9e3779b97f4a7c15;

inline std::uint64_t MixedBits(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace kernelmill
