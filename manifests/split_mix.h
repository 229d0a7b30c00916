// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators"): the same
// numbers on every machine.
#pragma once

#include <cstdint>

namespace kernelmill {

// The distance between two states of a sequence: 2^64 divided by the golden ratio.
inline constexpr std::uint64_t kSplitMixStep = 0x9e3779b97f4a7c15;

// The number that belongs to a state.
constexpr std::uint64_t MixedBits(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// The next number of a sequence.
constexpr std::uint64_t NextMixedBits(std::uint64_t* state) {
  return MixedBits(*state += kSplitMixStep);
}

}  // namespace kernelmill
