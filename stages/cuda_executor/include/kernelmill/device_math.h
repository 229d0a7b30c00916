// Implements CUDA's floating-point device functions that <cmath> lacks, for kernels that run on the
// executor. They have full precision, but for the fast variants (__expf …; fast_functions.h). Those
// of <cmath> are as exact as a device's (runtime/device_functions.cc).
#pragma once

#include <math.h>
#include <stdlib.h>

#include <cmath>
#include <cstdio>
#include <type_traits>

#include <kernelmill/extremes.h>
#include <kernelmill/fast_functions.h>
#include <kernelmill/rounding.h>

// --- Single and double precision ---
inline float fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float rsqrtf(float x) { return kernelmill::ApproximateRsqrt(x); }
inline float rsqrt(float x) { return kernelmill::ApproximateRsqrt(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
inline double rcbrt(double x) { return 1.0 / cbrt(x); }
namespace kernelmill {
// Exact for multiples of a right angle.
inline double SineOfTurns(double half_turns) {
  double rest = remainder(half_turns, 2.0);
  if (rest > 0.5) rest = 1.0 - rest;
  if (rest < -0.5) rest = -1.0 - rest;
  return sin(M_PI * rest);
}
inline double CosineOfTurns(double half_turns) {
  return SineOfTurns(0.5 - fabs(remainder(half_turns, 2.0)));
}
// Functions that the C++ library does not have (runtime/special_functions.cc).
double InverseErf(double x);
double InverseErfc(double x);
double BesselI(int order, double x);
}  // namespace kernelmill
// Defines a function for float and double, computed in double.
#define KM_BOTH(name, expression)                                            \
  inline double name(double x) { return expression; }                        \
  inline float name(float x) { return static_cast<float>(name(double{x})); } \
  inline float name##f(float x) { return static_cast<float>(name(double{x})); }
KM_BOTH(sinpi, kernelmill::SineOfTurns(x))
KM_BOTH(cospi, kernelmill::CosineOfTurns(x))
KM_BOTH(normcdf, 0.5 * erfc(-x * M_SQRT1_2))
KM_BOTH(erfcx, x < 25.0 ? exp(x * x) * erfc(x) : M_2_SQRTPI / 2 / x * (1 - 0.5 / (x * x)))
KM_BOTH(erfinv, kernelmill::InverseErf(x))
KM_BOTH(erfcinv, kernelmill::InverseErfc(x))
KM_BOTH(normcdfinv, -M_SQRT2* kernelmill::InverseErfc(2.0 * x))
KM_BOTH(cyl_bessel_i0, kernelmill::BesselI(0, x))
KM_BOTH(cyl_bessel_i1, kernelmill::BesselI(1, x))
#undef KM_BOTH
inline void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
inline void sincospi(double x, double* sine, double* cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}
inline double fdivide(double x, double y) { return x / y; }

// Euclidean norms of vectors and, in the functions with "r", their reciprocals.
template <typename T>
double norm(int dimension, const T* x) {
  double sum = 0.0;
  for (int i = 0; i < dimension; ++i) sum += double{x[i]} * x[i];
  return sqrt(sum);
}
inline double norm3d(double a, double b, double c) { return sqrt(a * a + b * b + c * c); }
inline double norm4d(double a, double b, double c, double d) {
  return sqrt(a * a + b * b + c * c + d * d);
}
inline double rnorm(int dimension, const double* x) { return 1.0 / norm(dimension, x); }
inline double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
inline double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
inline double rhypot(double a, double b) { return 1.0 / hypot(a, b); }
inline float normf(int dimension, const float* x) { return static_cast<float>(norm(dimension, x)); }
inline float rnormf(int dimension, const float* x) {
  return static_cast<float>(1.0 / norm(dimension, x));
}
inline float norm3df(float a, float b, float c) { return static_cast<float>(norm3d(a, b, c)); }
inline float norm4df(float a, float b, float c, float d) {
  return static_cast<float>(norm4d(a, b, c, d));
}
inline float rnorm3df(float a, float b, float c) { return static_cast<float>(rnorm3d(a, b, c)); }
inline float rnorm4df(float a, float b, float c, float d) {
  return static_cast<float>(rnorm4d(a, b, c, d));
}
inline float rhypotf(float a, float b) { return static_cast<float>(rhypot(a, b)); }

#define KM_ROUNDED(suffix, mode)                                                             \
  inline float __fadd_##suffix(float a, float b) {                                           \
    return kernelmill::InRoundingMode(mode, [](float x, float y) { return x + y; }, a, b);   \
  }                                                                                          \
  inline float __fsub_##suffix(float a, float b) {                                           \
    return kernelmill::InRoundingMode(mode, [](float x, float y) { return x - y; }, a, b);   \
  }                                                                                          \
  inline float __fmul_##suffix(float a, float b) {                                           \
    return kernelmill::InRoundingMode(mode, [](float x, float y) { return x * y; }, a, b);   \
  }                                                                                          \
  inline float __fdiv_##suffix(float a, float b) {                                           \
    return kernelmill::InRoundingMode(mode, [](float x, float y) { return x / y; }, a, b);   \
  }                                                                                          \
  inline double __dadd_##suffix(double a, double b) {                                        \
    return kernelmill::InRoundingMode(mode, [](double x, double y) { return x + y; }, a, b); \
  }                                                                                          \
  inline double __dsub_##suffix(double a, double b) {                                        \
    return kernelmill::InRoundingMode(mode, [](double x, double y) { return x - y; }, a, b); \
  }                                                                                          \
  inline double __dmul_##suffix(double a, double b) {                                        \
    return kernelmill::InRoundingMode(mode, [](double x, double y) { return x * y; }, a, b); \
  }                                                                                          \
  inline double __ddiv_##suffix(double a, double b) {                                        \
    return kernelmill::InRoundingMode(mode, [](double x, double y) { return x / y; }, a, b); \
  }                                                                                          \
  inline float __fmaf_##suffix(float a, float b, float c) {                                  \
    return kernelmill::InRoundingMode(                                                       \
        mode, [](float x, float y, float z) { return fmaf(x, y, z); }, a, b, c);             \
  }                                                                                          \
  inline double __fma_##suffix(double a, double b, double c) {                               \
    return kernelmill::InRoundingMode(                                                       \
        mode, [](double x, double y, double z) { return fma(x, y, z); }, a, b, c);           \
  }                                                                                          \
  inline float __fsqrt_##suffix(float a) {                                                   \
    return kernelmill::InRoundingMode(mode, [](float x) { return sqrtf(x); }, a);            \
  }                                                                                          \
  inline double __dsqrt_##suffix(double a) {                                                 \
    return kernelmill::InRoundingMode(mode, [](double x) { return sqrt(x); }, a);            \
  }                                                                                          \
  inline float __frcp_##suffix(float a) {                                                    \
    return kernelmill::InRoundingMode(mode, [](float x) { return 1.0f / x; }, a);            \
  }                                                                                          \
  inline double __drcp_##suffix(double a) {                                                  \
    return kernelmill::InRoundingMode(mode, [](double x) { return 1.0 / x; }, a);            \
  }                                                                                          \
  inline float __fmaf_ieee_##suffix(float a, float b, float c) { return __fmaf_##suffix(a, b, c); }
KM_ROUNDED(rn, FE_TONEAREST)
KM_ROUNDED(rz, FE_TOWARDZERO)
KM_ROUNDED(ru, FE_UPWARD)
KM_ROUNDED(rd, FE_DOWNWARD)
#undef KM_ROUNDED
inline float __frsqrt_rn(float x) { return static_cast<float>(1.0 / sqrt(double(x))); }

// min and max of any two arithmetic types; those of floating-point numbers are extremes.h's.
template <typename A, typename B>
  requires(std::is_arithmetic_v<A> && std::is_arithmetic_v<B>)
constexpr std::common_type_t<A, B> max(A a, B b) {
  using C = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<C>) return kernelmill::Larger<C>(a, b);
  return static_cast<C>(a) < static_cast<C>(b) ? C(b) : C(a);
}
template <typename A, typename B>
  requires(std::is_arithmetic_v<A> && std::is_arithmetic_v<B>)
constexpr std::common_type_t<A, B> min(A a, B b) {
  using C = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<C>) return kernelmill::Smaller<C>(a, b);
  return static_cast<C>(b) < static_cast<C>(a) ? C(b) : C(a);
}
// Overloads for 16-bit floating-point types, which convert to float.
inline float max(float a, float b) { return fmaxf(a, b); }
inline float min(float a, float b) { return fminf(a, b); }
