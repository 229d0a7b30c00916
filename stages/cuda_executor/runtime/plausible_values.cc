#include "stages/cuda_executor/runtime/plausible_values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <kernelmill/split_mix.h>

#include "stages/cuda_executor/runtime/execution_options.h"

namespace kernelmill {
namespace {

// Another one for each filling of each process.
std::uint64_t NextSeed() {
  static std::uint64_t fillings = 0;
  return MixedBits(Options().seed + kSplitMixStep * ++fillings) ^ Options().fresh;
}

template <typename T>
void ChangeElements(T* elements, std::size_t count) {
  // All of so few elements are changed. If none were, code could tell that the result is whole.
  constexpr std::size_t kFew = 8;
  const std::uint64_t seed = NextSeed();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = MixedBits(seed + i * kSplitMixStep);
    if (count >= kFew && bits % 2 == 0) {
      // Its last bit: the result of another order of operations.
      if constexpr (!std::is_integral_v<T>) {
        reinterpret_cast<unsigned char*>(elements + i)[0] ^= bits / 2 % 2;
      }
      continue;
    }
    const T other = elements[(bits >> 8) % count];
    if (bits / 4 % 2 == 0 && std::memcmp(&other, elements + i, sizeof(T)) != 0) {
      elements[i] = other;
    } else if constexpr (std::is_same_v<T, bool>) {
      elements[i] = !elements[i];
    } else if constexpr (std::is_integral_v<T>) {
      elements[i] = static_cast<T>(elements[i] + (bits / 8 % 2 == 0 ? T(1) : T(-1)));
    } else {
      const float part = 0.25f + 0.5f * static_cast<float>(bits >> 40) / 0x1000000;
      elements[i] = elements[i] * static_cast<T>(1 + part) + static_cast<T>(part / 16);
    }
  }
}

}  // namespace

void FillPlausible(char* memory, std::size_t size) {
  // 16 bits of 0x3c00 to 0x3fff, with any sign, are from 1 to 2 as a half, and what they begin is
  // from 2^-63 to 2 as a bfloat16, a float or a double.
  constexpr std::uint64_t kKept = 0x83ff'83ff'83ff'83ff, kSet = 0x3c00'3c00'3c00'3c00;
  const std::uint64_t seed = NextSeed();
  for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = (MixedBits(seed + at * kSplitMixStep) & kKept) | kSet;
    std::memcpy(memory + at, &word, std::min(sizeof(word), size - at));
  }
}

void ChangeSome(std::vector<char>* bytes, c10::ScalarType type) {
  switch (type) {
#define KM_CHANGE(T, name)    \
  case c10::ScalarType::name: \
    return ChangeElements(reinterpret_cast<T*>(bytes->data()), bytes->size() / sizeof(T));
    KM_CHANGE(float, Float)
    KM_CHANGE(double, Double)
    KM_CHANGE(c10::Half, Half)
    KM_CHANGE(c10::BFloat16, BFloat16)
    KM_CHANGE(bool, Bool)
    KM_CHANGE(std::uint8_t, Byte)
    KM_CHANGE(std::int8_t, Char)
    KM_CHANGE(std::int16_t, Short)
    KM_CHANGE(std::int32_t, Int)
    KM_CHANGE(std::int64_t, Long)
#undef KM_CHANGE
    default:
      return FillPlausible(bytes->data(), bytes->size());
  }
}

}  // namespace kernelmill
