// SplitMix64, as manifests/split_mix.h has it. The executor is compiled together with candidates,
// in a sandbox that has the executor's folder only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kernelmill {

inline constexpr std::uint64_t kSplitMixStep = 0x9e3779b97f4a7c15;

inline std::uint64_t MixedBits(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// A digest of bytes, which goes on from `digest`.
inline std::uint64_t MixedBytes(std::uint64_t digest, const void* first, std::size_t size) {
  for (std::size_t at = 0; at < size; at += sizeof(digest)) {
    const std::size_t rest = size - at;
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const char*>(first) + at,
                rest < sizeof(word) ? rest : sizeof(word));
    digest = MixedBits(digest ^ word);
  }
  return digest;
}

}  // namespace kernelmill
