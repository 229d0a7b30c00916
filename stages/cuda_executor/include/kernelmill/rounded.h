// The arithmetic of __half and __nv_bfloat16 as the executor's own headers use it, whatever a
// candidate's flags leave of those types' operators (half.h): values are stored in 16 bits,
// computed in float and rounded to nearest even after every operation. For +, -, *, / and sqrt this
// gives the same results as the device's own instructions.
#pragma once

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <cmath>
#include <cstring>

#include <kernelmill/rounding.h>

namespace kernelmill {

struct HalfFormat {
  using Torch = c10::Half;
  static float ToFloat(unsigned short bits) {
    _Float16 value;
    std::memcpy(&value, &bits, sizeof value);
    return static_cast<float>(value);
  }
  static unsigned short FromFloat(float number) {
    if (number != number) return 0x7fff;
    const _Float16 value = static_cast<_Float16>(number);
    unsigned short bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  // Rounds in one of the modes of <cfenv>.
  static unsigned short FromFloat(float number, int mode) {
    return InRoundingMode(mode, [](float x) { return FromFloat(x); }, number);
  }
};
struct Bfloat16Format {
  using Torch = c10::BFloat16;
  static float ToFloat(unsigned short bits) {
    return __builtin_bit_cast(float, static_cast<unsigned>(bits) << 16);
  }
  static unsigned short FromFloat(float number) {
    const unsigned bits = __builtin_bit_cast(unsigned, number);
    if (number != number) return 0x7fff;
    return static_cast<unsigned short>((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
  }
  static unsigned short FromFloat(float number, int mode) {
    if (mode == FE_TONEAREST || number != number) return FromFloat(number);
    const unsigned bits = __builtin_bit_cast(unsigned, number);
    const bool grows = (bits & 0xffffu) != 0 && mode == (bits >> 31 ? FE_DOWNWARD : FE_UPWARD);
    return static_cast<unsigned short>((bits >> 16) + (grows ? 1 : 0));
  }
};

template <typename Format>
struct HalfNumber;
template <typename Format>
struct HalfPair;

template <typename Format>
struct Rounded {
  unsigned short bits;

  Rounded() = default;
  Rounded(float number) : bits(Format::FromFloat(number)) {}
  // Converts numbers that a float cannot represent, and still rounds only once.
  template <typename Number>
    requires std::is_arithmetic_v<Number>
  Rounded(Number number) : bits(Format::FromFloat(Narrowed(number))) {}
  Rounded(HalfNumber<Format> number) : bits(__builtin_bit_cast(unsigned short, number)) {}
  operator HalfNumber<Format>() const { return __builtin_bit_cast(HalfNumber<Format>, bits); }
  operator float() const { return Format::ToFloat(bits); }
  static Rounded FromBits(unsigned short bits) {
    Rounded number;
    number.bits = bits;
    return number;
  }

  template <typename Number>
  static Rounded In(int mode, Number number) {
    return FromBits(Format::FromFloat(Narrowed(number), mode));
  }

  Rounded operator-() const { return FromBits(bits ^ 0x8000); }
#define KM_OPERATOR(sign)                                             \
  friend Rounded operator sign(Rounded a, Rounded b) {                \
    return Rounded(static_cast<float>(a) sign static_cast<float>(b)); \
  }                                                                   \
  Rounded& operator sign##=(Rounded other) { return *this = *this sign other; }
  KM_OPERATOR(+)
  KM_OPERATOR(-)
  KM_OPERATOR(*)
  KM_OPERATOR(/)
#undef KM_OPERATOR
#define KM_COMPARISON(sign)                                  \
  friend bool operator sign(Rounded a, Rounded b) {          \
    return static_cast<float>(a) sign static_cast<float>(b); \
  }
  KM_COMPARISON(==)
  KM_COMPARISON(!=)
  KM_COMPARISON(<)
  KM_COMPARISON(<=)
  KM_COMPARISON(>)
  KM_COMPARISON(>=)
#undef KM_COMPARISON

 private:
  template <typename Number>
  static float Narrowed(Number number) {
    if constexpr (sizeof(Number) < sizeof(float) || std::is_same_v<Number, float>) {
      return static_cast<float>(number);
    } else if constexpr (sizeof(Number) == sizeof(float) || std::is_floating_point_v<Number>) {
      return ToOddFloat(static_cast<double>(number));
    } else {
      return ToOddFloat(number);
    }
  }
};

template <typename Format>
struct alignas(4) RoundedPair {
  Rounded<Format> x, y;

  RoundedPair() = default;
  RoundedPair(Rounded<Format> low, Rounded<Format> high) : x(low), y(high) {}
  RoundedPair(HalfPair<Format> pair) : x(pair.x), y(pair.y) {}
  operator HalfPair<Format>() const { return {x, y}; }

  friend RoundedPair operator-(RoundedPair a) { return {-a.x, -a.y}; }
#define KM_OPERATOR(sign)                                          \
  friend RoundedPair operator sign(RoundedPair a, RoundedPair b) { \
    return {a.x sign b.x, a.y sign b.y};                           \
  }                                                                \
  RoundedPair& operator sign##=(RoundedPair other) { return *this = *this sign other; }
  KM_OPERATOR(+)
  KM_OPERATOR(-)
  KM_OPERATOR(*)
  KM_OPERATOR(/)
#undef KM_OPERATOR
};

// Only for decltype: the executor's own type for a number of a candidate's type.
template <typename Format>
Rounded<Format> NumberOf(HalfNumber<Format>);
template <typename Format>
RoundedPair<Format> NumberOf(HalfPair<Format>);

}  // namespace kernelmill
