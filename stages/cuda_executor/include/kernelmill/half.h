// Implements __half and __nv_bfloat16, as cuda_fp16.h and cuda_bf16.h have them, for kernels that
// run on the executor. rounded.h computes.
//
// Macros leave out operators and conversions there, and torch's loader defines most of them. This
// header is precompiled, before a candidate's macros are known, so that each translation unit says
// later what they leave (flags/kept_operators.h).
#pragma once

#include <type_traits>

#include <kernelmill/rounded.h>
#include <kernelmill/vector_types.h>

namespace kernelmill {

// CUDA's "raw" types: __half_raw and __nv_bfloat16_raw.
struct HalfBits {
  unsigned short x;
};
struct HalfPairBits {
  unsigned short x, y;
};

// kConversions, kOperators and kPairOperators, which a translation unit defines.
template <typename Format>
struct KeptOperators;

template <typename Format>
struct alignas(2) HalfNumber {
 protected:
  unsigned short __x;

 public:
  HalfNumber() = default;
  HalfNumber(HalfBits raw) : __x(raw.x) {}
  operator HalfBits() const { return {__x}; }
  // Only of this type: a number must not become one on its way.
  template <typename Torch>
    requires std::is_same_v<Torch, typename Format::Torch>
  HalfNumber(Torch number) : __x(number.x) {}
  operator typename Format::Torch() const {
    return typename Format::Torch(__x, Format::Torch::from_bits());
  }

  HalfNumber(float number)
    requires(KeptOperators<Format>::kConversions)
      : __x(Rounded<Format>(number).bits) {}
  // Converts numbers that a float cannot represent, and still rounds only once.
  template <typename Number>
    requires(std::is_arithmetic_v<Number> && KeptOperators<Format>::kConversions)
  HalfNumber(Number number) : __x(Rounded<Format>(number).bits) {}
  operator float() const
    requires(KeptOperators<Format>::kConversions)
  {
    return Format::ToFloat(__x);
  }

#define KM_KEPT requires(KeptOperators<Format>::kOperators)
  friend HalfNumber operator-(HalfNumber a) KM_KEPT { return -Rounded<Format>(a); }
  friend HalfNumber operator+(HalfNumber a) KM_KEPT { return a; }
#define KM_STEP(step, sign)                                     \
  friend HalfNumber& operator step(HalfNumber & a) KM_KEPT {    \
    return a = Rounded<Format>(a) sign Rounded<Format>(1.0f);   \
  }                                                             \
  friend HalfNumber operator step(HalfNumber& a, int) KM_KEPT { \
    const HalfNumber before = a;                                \
    a = Rounded<Format>(a) sign Rounded<Format>(1.0f);          \
    return before;                                              \
  }
  KM_STEP(++, +)
  KM_STEP(--, -)
#undef KM_STEP
#define KM_OPERATOR(sign)                                                     \
  friend HalfNumber operator sign(HalfNumber a, HalfNumber b) KM_KEPT {       \
    return Rounded<Format>(a) sign Rounded<Format>(b);                        \
  }                                                                           \
  friend HalfNumber& operator sign##=(HalfNumber & a, HalfNumber b) KM_KEPT { \
    return a = Rounded<Format>(a) sign Rounded<Format>(b);                    \
  }
  KM_OPERATOR(+)
  KM_OPERATOR(-)
  KM_OPERATOR(*)
  KM_OPERATOR(/)
#undef KM_OPERATOR
#define KM_COMPARISON(sign)                                       \
  friend bool operator sign(HalfNumber a, HalfNumber b) KM_KEPT { \
    return Rounded<Format>(a) sign Rounded<Format>(b);            \
  }
  KM_COMPARISON(==)
  KM_COMPARISON(!=)
  KM_COMPARISON(<)
  KM_COMPARISON(<=)
  KM_COMPARISON(>)
  KM_COMPARISON(>=)
#undef KM_COMPARISON
#undef KM_KEPT
};

template <typename Format>
struct alignas(4) HalfPair {
  HalfNumber<Format> x, y;
  KM_WHOLE_PAIR(HalfPair, HalfNumber<Format>)

#define KM_KEPT requires(KeptOperators<Format>::kPairOperators)
  friend HalfPair operator-(HalfPair a) KM_KEPT { return -RoundedPair<Format>(a); }
#define KM_OPERATOR(sign)                                               \
  friend HalfPair operator sign(HalfPair a, HalfPair b) KM_KEPT {       \
    return RoundedPair<Format>(a) sign RoundedPair<Format>(b);          \
  }                                                                     \
  friend HalfPair& operator sign##=(HalfPair & a, HalfPair b) KM_KEPT { \
    return a = RoundedPair<Format>(a) sign RoundedPair<Format>(b);      \
  }
  KM_OPERATOR(+)
  KM_OPERATOR(-)
  KM_OPERATOR(*)
  KM_OPERATOR(/)
#undef KM_OPERATOR
#define KM_COMPARISON(sign)                                                                 \
  friend bool operator sign(HalfPair a, HalfPair b) KM_KEPT {                               \
    return Rounded<Format>(a.x) sign Rounded<Format>(b.x) && Rounded<Format>(a.y)           \
                                                                 sign Rounded<Format>(b.y); \
  }
  KM_COMPARISON(==)
  KM_COMPARISON(!=)
  KM_COMPARISON(<)
  KM_COMPARISON(<=)
  KM_COMPARISON(>)
  KM_COMPARISON(>=)
#undef KM_COMPARISON
#undef KM_KEPT
};

}  // namespace kernelmill

using __half = kernelmill::HalfNumber<kernelmill::HalfFormat>;
using __half2 = kernelmill::HalfPair<kernelmill::HalfFormat>;
using __nv_bfloat16 = kernelmill::HalfNumber<kernelmill::Bfloat16Format>;
using __nv_bfloat162 = kernelmill::HalfPair<kernelmill::Bfloat16Format>;
using half = __half;
using half2 = __half2;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
using __half_raw = kernelmill::HalfBits;
using __half2_raw = kernelmill::HalfPairBits;
using __nv_bfloat16_raw = kernelmill::HalfBits;
using __nv_bfloat162_raw = kernelmill::HalfPairBits;
