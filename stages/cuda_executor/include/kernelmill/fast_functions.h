// Implements CUDA's fast functions of single precision (__expf, __sinf …) as a device computes
// them: by its approximations of 2^x, log2(x), sin(2 pi x), 1 / x and 1 / sqrt(x), with errors of
// the size that CUDA's documents give (PTX ISA, ex2.approx, lg2.approx, rsqrt.approx …; CUDA C++
// Programming Guide, "Intrinsic Functions"). A result is as inexact far from zero as they say, and
// NaN where the device's is.
//
// exp2f() and rsqrtf() are the device's instructions too. With -use_fast_math they stand for
// expf(), sinf() … as well (flags/fast_math.h).
#pragma once

#include <math.h>

#include <bit>

namespace kernelmill {

inline constexpr float kLog2OfE = 1.4426950216293335f, kLog2Of10 = 3.3219280242919922f;
inline constexpr float kLogOf2 = 0.69314718246459961f, kLog10Of2 = 0.30103000998497009f;
inline constexpr float kTurnsPerRadian = 0.15915493667125702f;

// Without the bits below 2^-bits. `x` is at most 1.
template <int kBits>
float WithBits(float x) {
  constexpr float kSteps = 1 << kBits;
  return truncf(x * kSteps) * (1.0f / kSteps);
}

// With other last bits, as an approximation has them: neither always zero nor those of the exact result.
// Numbers with few digits, infinity among them, are exact.
inline float WithLastBits(float exact, int bits) {
  const auto word = std::bit_cast<unsigned>(exact);
  if ((word & 0xfffu) == 0) return exact;
  const unsigned last = (word * 0x9e3779b1u) >> (32 - bits);
  return std::bit_cast<float>((word & ~((1u << bits) - 1)) | last);
}

// To 2 units in the last place. By the function for doubles: exp2f() itself is this one.
inline float ApproximateExp2(float x) {
  return WithLastBits(static_cast<float>(exp2(double{x})), 1);
}
// To 2^-22 for results up to 1. By the function for doubles: log2f() may be this one.
inline float ApproximateLog2(float x) {
  const auto exact = static_cast<float>(log2(double{x}));
  return fabsf(exact) < 1.0f ? WithBits<22>(exact) : exact;
}
// To a unit in the last place: for every fourth number, the neighbour of the nearest float on the
// other side of the exact result.
inline float ApproximateRsqrt(float x) {
  const double exact = 1.0 / sqrt(double{x});
  const auto nearest = static_cast<float>(exact);
  if (!(double{nearest} < exact) && !(double{nearest} > exact)) return nearest;
  const auto bits = std::bit_cast<unsigned>(nearest);
  if ((std::bit_cast<unsigned>(x) * 0x9e3779b1u) >> 30 != 0) return nearest;
  return std::bit_cast<float>(double{nearest} < exact ? bits + 1 : bits - 1);
}
// The angle in turns, without whole ones. Its product is a float whose last bits are cut off, so
// that little is left of a large angle.
inline float TurnsOf(float radians) {
  const double exact = double{radians} * kTurnsPerRadian;
  float turns = static_cast<float>(exact);
  if (fabs(double{turns}) > fabs(exact)) {
    turns = std::bit_cast<float>(std::bit_cast<unsigned>(turns) - 1);
  }
  return turns - rintf(turns);
}
inline float ApproximateSine(float turns) {
  return WithBits<23>(static_cast<float>(sin(2.0 * M_PI * double{turns})));
}
inline float ApproximateCosine(float turns) {
  return WithBits<23>(static_cast<float>(cos(2.0 * M_PI * double{turns})));
}

}  // namespace kernelmill

inline float __expf(float x) { return kernelmill::ApproximateExp2(x * kernelmill::kLog2OfE); }
inline float __exp10f(float x) { return kernelmill::ApproximateExp2(x * kernelmill::kLog2Of10); }
inline float __log2f(float x) { return kernelmill::ApproximateLog2(x); }
inline float __logf(float x) { return __log2f(x) * kernelmill::kLogOf2; }
inline float __log10f(float x) { return __log2f(x) * kernelmill::kLog10Of2; }
// NaN for negative `x`, and for 0 to the power of 0.
inline float __powf(float x, float y) { return kernelmill::ApproximateExp2(y * __log2f(x)); }
inline float __sinf(float x) { return kernelmill::ApproximateSine(kernelmill::TurnsOf(x)); }
inline float __cosf(float x) { return kernelmill::ApproximateCosine(kernelmill::TurnsOf(x)); }
inline void __sincosf(float x, float* sine, float* cosine) {
  *sine = __sinf(x);
  *cosine = __cosf(x);
}
// 0 for 2^126 < |y| < 2^128, or NaN if `x` is infinite.
inline float __fdividef(float x, float y) {
  const float size = fabsf(y);
  if (size > 0x1p126f) return copysignf(0.0f, y) * x;
  return size < 0x1p-126f ? x / y : x * (1.0f / y);
}
inline float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
// To a relative error of 2^-11.
inline float __tanhf(float x) {
  return kernelmill::WithLastBits(static_cast<float>(tanh(double{x})), 12);
}
