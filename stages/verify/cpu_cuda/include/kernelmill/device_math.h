// Device functions beside those of <cmath>: intrinsics, conversions, bits, cached loads.
//
// The fast variants (__expf, __fdividef …) are computed exactly here; a device loses some of the
// last bits, which the verifier's tolerances allow for.
#pragma once

#include <math.h>
#include <stdlib.h>

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <type_traits>

#include <kernelmill/executor.h>

// --- Single and double precision ---
#define KM_FAST(name, exact) \
  inline float name(float x) { return exact(x); }
KM_FAST(__expf, expf)
KM_FAST(__logf, logf)
KM_FAST(__log2f, log2f)
KM_FAST(__log10f, log10f)
KM_FAST(__sinf, sinf)
KM_FAST(__cosf, cosf)
KM_FAST(__tanf, tanf)
KM_FAST(__tanhf, tanhf)
#undef KM_FAST
inline float __exp10f(float x) { return exp10f(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline void __sincosf(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
inline float __fdividef(float x, float y) { return x / y; }
inline float fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline float rsqrt(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
inline double rcbrt(double x) { return 1.0 / cbrt(x); }
inline float sinpif(float x) { return static_cast<float>(sin(M_PI * x)); }
inline float cospif(float x) { return static_cast<float>(cos(M_PI * x)); }
inline double sinpi(double x) { return sin(M_PI * x); }
inline double cospi(double x) { return cos(M_PI * x); }
inline float normcdff(float x) { return static_cast<float>(0.5 * erfc(-x * M_SQRT1_2)); }
inline double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
inline float erfcxf(float x) { return static_cast<float>(exp(double(x) * x) * erfc(x)); }
inline double erfcx(double x) { return exp(x * x) * erfc(x); }
float erfinvf(float x);
double erfinv(double x);
inline float norm3df(float a, float b, float c) { return sqrtf(a * a + b * b + c * c); }
inline float rnorm3df(float a, float b, float c) { return 1.0f / sqrtf(a * a + b * b + c * c); }
inline float rhypotf(float a, float b) { return 1.0f / hypotf(a, b); }

#define KM_ROUNDED(suffix, mode)                                                     \
  inline float __fadd_##suffix(float a, float b) {                                   \
    return kernelmill::InRoundingMode(mode, [](float x, float y) { return x + y; }, a, b); \
  }                                                                                  \
  inline float __fsub_##suffix(float a, float b) {                                   \
    return kernelmill::InRoundingMode(mode, [](float x, float y) { return x - y; }, a, b); \
  }                                                                                  \
  inline float __fmul_##suffix(float a, float b) {                                   \
    return kernelmill::InRoundingMode(mode, [](float x, float y) { return x * y; }, a, b); \
  }                                                                                  \
  inline float __fdiv_##suffix(float a, float b) {                                   \
    return kernelmill::InRoundingMode(mode, [](float x, float y) { return x / y; }, a, b); \
  }                                                                                  \
  inline double __dadd_##suffix(double a, double b) {                                \
    return kernelmill::InRoundingMode(mode, [](double x, double y) { return x + y; }, a, b); \
  }                                                                                  \
  inline double __dmul_##suffix(double a, double b) {                                \
    return kernelmill::InRoundingMode(mode, [](double x, double y) { return x * y; }, a, b); \
  }                                                                                  \
  inline double __ddiv_##suffix(double a, double b) {                                \
    return kernelmill::InRoundingMode(mode, [](double x, double y) { return x / y; }, a, b); \
  }                                                                                  \
  inline float __fmaf_##suffix(float a, float b, float c) {                          \
    return kernelmill::InRoundingMode(                                               \
        mode, [](float x, float y, float z) { return fmaf(x, y, z); }, a, b, c);     \
  }                                                                                  \
  inline double __fma_##suffix(double a, double b, double c) {                       \
    return kernelmill::InRoundingMode(                                               \
        mode, [](double x, double y, double z) { return fma(x, y, z); }, a, b, c);   \
  }                                                                                  \
  inline float __fsqrt_##suffix(float a) {                                           \
    return kernelmill::InRoundingMode(mode, [](float x) { return sqrtf(x); }, a);    \
  }                                                                                  \
  inline double __dsqrt_##suffix(double a) {                                         \
    return kernelmill::InRoundingMode(mode, [](double x) { return sqrt(x); }, a);    \
  }                                                                                  \
  inline float __frcp_##suffix(float a) {                                            \
    return kernelmill::InRoundingMode(mode, [](float x) { return 1.0f / x; }, a);    \
  }
namespace kernelmill {
// The operands pass through volatile variables: otherwise the compiler would compute, or fuse a
// product and a sum, under another mode.
template <typename Operation, typename T, typename... More>
T InRoundingMode(int mode, Operation operation, T first, More... more) {
  if (mode != FE_TONEAREST) std::fesetround(mode);
  volatile T operand = first;
  volatile T result = operation(operand, more...);
  if (mode != FE_TONEAREST) std::fesetround(FE_TONEAREST);
  return result;
}
}  // namespace kernelmill
KM_ROUNDED(rn, FE_TONEAREST)
KM_ROUNDED(rz, FE_TOWARDZERO)
KM_ROUNDED(ru, FE_UPWARD)
KM_ROUNDED(rd, FE_DOWNWARD)
#undef KM_ROUNDED
inline float __frsqrt_rn(float x) { return static_cast<float>(1.0 / sqrt(double(x))); }

// min and max of any two arithmetic types; of floats they ignore a NaN.
template <typename A, typename B>
  requires(std::is_arithmetic_v<A> && std::is_arithmetic_v<B>)
constexpr std::common_type_t<A, B> max(A a, B b) {
  using C = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<C>) {
    return __builtin_isnan(static_cast<C>(a)) || static_cast<C>(a) < static_cast<C>(b) ? C(b) : C(a);
  }
  return static_cast<C>(a) < static_cast<C>(b) ? C(b) : C(a);
}
template <typename A, typename B>
  requires(std::is_arithmetic_v<A> && std::is_arithmetic_v<B>)
constexpr std::common_type_t<A, B> min(A a, B b) {
  using C = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<C>) {
    return __builtin_isnan(static_cast<C>(a)) || static_cast<C>(b) < static_cast<C>(a) ? C(b) : C(a);
  }
  return static_cast<C>(b) < static_cast<C>(a) ? C(b) : C(a);
}
inline unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }
inline unsigned umin(unsigned a, unsigned b) { return b < a ? b : a; }

// --- Conversions ---
namespace kernelmill {
// Out of range a device gives the nearest value, and 0 for NaN.
template <typename Integer, typename Float>
Integer Saturated(Float number) {
  if (number != number) return 0;
  constexpr Integer kLowest = std::is_signed_v<Integer> ? Integer(Integer(1) << (8 * sizeof(Integer) - 1)) : 0;
  constexpr Integer kHighest = static_cast<Integer>(~kLowest);
  if (number <= static_cast<Float>(kLowest)) return kLowest;
  if (number >= static_cast<Float>(kHighest)) return kHighest;
  return static_cast<Integer>(number);
}
}  // namespace kernelmill
#define KM_CONVERSIONS(from, from_type, to, to_type)                                              \
  inline to_type __##from##2##to##_rn(from_type x) { return kernelmill::Saturated<to_type>(nearbyint(x)); } \
  inline to_type __##from##2##to##_rz(from_type x) { return kernelmill::Saturated<to_type>(trunc(x)); }     \
  inline to_type __##from##2##to##_rd(from_type x) { return kernelmill::Saturated<to_type>(floor(x)); }     \
  inline to_type __##from##2##to##_ru(from_type x) { return kernelmill::Saturated<to_type>(ceil(x)); }
KM_CONVERSIONS(float, float, int, int)
KM_CONVERSIONS(float, float, uint, unsigned)
KM_CONVERSIONS(float, float, ll, long long)
KM_CONVERSIONS(float, float, ull, unsigned long long)
KM_CONVERSIONS(double, double, int, int)
KM_CONVERSIONS(double, double, uint, unsigned)
KM_CONVERSIONS(double, double, ll, long long)
#undef KM_CONVERSIONS
inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __int2float_rz(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline float __uint2float_rz(unsigned x) { return static_cast<float>(x); }
inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
inline float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
inline double __ll2double_rn(long long x) { return static_cast<double>(x); }

inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
inline float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
inline unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
inline float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
inline long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
inline int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double((static_cast<long long>(high) << 32) | static_cast<unsigned>(low));
}

// --- Integers and bits ---
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
inline unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
inline int __mul24(int a, int b) { return static_cast<int>(((a << 8) >> 8) * ((b << 8) >> 8)); }
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
inline int __mulhi(int a, int b) { return static_cast<int>((static_cast<long long>(a) * b) >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) * b) >> 32);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>((static_cast<__int128>(a) * b) >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
inline unsigned __sad(int a, int b, unsigned c) {
  return c + static_cast<unsigned>(a < b ? b - a : a - b);
}
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a < b ? b - a : a - b); }
inline int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
inline int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((static_cast<std::uint64_t>(high) << 32 | low) << (shift & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(high) << 32 | low) >> (shift & 31));
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned choice = selector >> (4 * i);
    unsigned byte = static_cast<unsigned>(bytes >> (8 * (choice & 7))) & 0xff;
    if (choice & 8) byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}
inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i) {
    c += static_cast<signed char>(a >> (8 * i)) * static_cast<signed char>(b >> (8 * i));
  }
  return c;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += ((a >> (8 * i)) & 0xff) * ((b >> (8 * i)) & 0xff);
  return c;
}

// --- Cached loads and stores, address spaces, clocks ---
#define KM_LOAD(name)              \
  template <typename T>            \
  T name(const T* address) {       \
    return *address;               \
  }
KM_LOAD(__ldg)
KM_LOAD(__ldca)
KM_LOAD(__ldcg)
KM_LOAD(__ldcs)
KM_LOAD(__ldlu)
KM_LOAD(__ldcv)
#undef KM_LOAD
#define KM_STORE(name)                                          \
  template <typename T>                                         \
  void name(T* address, std::type_identity_t<T> value) {        \
    *address = value;                                           \
  }
KM_STORE(__stwb)
KM_STORE(__stcg)
KM_STORE(__stcs)
KM_STORE(__stwt)
#undef KM_STORE
inline std::size_t __cvta_generic_to_shared(const void* address) {
  return reinterpret_cast<std::size_t>(address);
}
inline std::size_t __cvta_generic_to_global(const void* address) {
  return reinterpret_cast<std::size_t>(address);
}
inline long long clock64() { return static_cast<long long>(kernelmill::StepCount()); }

inline unsigned long long __globaltimer() { return kernelmill::StepCount(); }
