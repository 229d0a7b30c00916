// Implements the functions of cuda_fp16.h and cuda_bf16.h for kernels that run on the executor,
// each for both formats at once.
#pragma once

#include <kernelmill/device_math.h>
#include <kernelmill/half.h>
#include <kernelmill/warp.h>

#define KM_FORMAT template <typename Format>
#define KM_ONE ::kernelmill::HalfNumber<Format>
#define KM_TWO ::kernelmill::HalfPair<Format>
// The executor's own type for the same number, which has arithmetic whatever the candidate's has.
#define KM_NUMBER ::kernelmill::Rounded<Format>

// --- Conversions that name their format ---
#define KM_OF(one) decltype(kernelmill::NumberOf(one()))
#define KM_ROUNDED_FROM(name, one, number)                                    \
  inline one name##_rn(number a) { return KM_OF(one)(a); }                    \
  inline one name##_rz(number a) { return KM_OF(one)::In(FE_TOWARDZERO, a); } \
  inline one name##_rd(number a) { return KM_OF(one)::In(FE_DOWNWARD, a); }   \
  inline one name##_ru(number a) { return KM_OF(one)::In(FE_UPWARD, a); }
#define KM_ROUNDED_TO(name, one, number)                                                          \
  inline number name##_rn(one a) {                                                                \
    return kernelmill::Saturated<number>(nearbyintf(KM_OF(one)(a)));                              \
  }                                                                                               \
  inline number name##_rz(one a) { return kernelmill::Saturated<number>(truncf(KM_OF(one)(a))); } \
  inline number name##_rd(one a) { return kernelmill::Saturated<number>(floorf(KM_OF(one)(a))); } \
  inline number name##_ru(one a) { return kernelmill::Saturated<number>(ceilf(KM_OF(one)(a))); }
#define KM_CONVERSIONS(name, one)                                                            \
  inline float __##name##2float(one a) { return KM_OF(one)(a); }                             \
  inline one __float2##name(float a) { return KM_OF(one)(a); }                               \
  inline one __double2##name(double a) { return KM_OF(one)(a); }                             \
  KM_ROUNDED_FROM(__float2##name, one, float)                                                \
  KM_ROUNDED_FROM(__int2##name, one, int)                                                    \
  KM_ROUNDED_FROM(__uint2##name, one, unsigned)                                              \
  KM_ROUNDED_FROM(__short2##name, one, short)                                                \
  KM_ROUNDED_FROM(__ushort2##name, one, unsigned short)                                      \
  KM_ROUNDED_FROM(__ll2##name, one, long long)                                               \
  KM_ROUNDED_FROM(__ull2##name, one, unsigned long long)                                     \
  KM_ROUNDED_TO(__##name##2int, one, int)                                                    \
  KM_ROUNDED_TO(__##name##2uint, one, unsigned)                                              \
  KM_ROUNDED_TO(__##name##2short, one, short)                                                \
  KM_ROUNDED_TO(__##name##2ushort, one, unsigned short)                                      \
  KM_ROUNDED_TO(__##name##2ll, one, long long)                                               \
  KM_ROUNDED_TO(__##name##2ull, one, unsigned long long)                                     \
  inline signed char __##name##2char_rz(one a) {                                             \
    return kernelmill::Saturated<signed char>(truncf(KM_OF(one)(a)));                        \
  }                                                                                          \
  inline unsigned char __##name##2uchar_rz(one a) {                                          \
    return kernelmill::Saturated<unsigned char>(truncf(KM_OF(one)(a)));                      \
  }                                                                                          \
  inline unsigned short __##name##_as_ushort(one a) { return KM_OF(one)(a).bits; }           \
  inline short __##name##_as_short(one a) { return static_cast<short>(KM_OF(one)(a).bits); } \
  inline one __ushort_as_##name(unsigned short a) { return KM_OF(one)::FromBits(a); }        \
  inline one __short_as_##name(short a) {                                                    \
    return KM_OF(one)::FromBits(static_cast<unsigned short>(a));                             \
  }
KM_CONVERSIONS(half, __half)
KM_CONVERSIONS(bfloat16, __nv_bfloat16)
#undef KM_CONVERSIONS
#undef KM_ROUNDED_TO
#undef KM_ROUNDED_FROM
#undef KM_OF

inline __half2 __float2half2_rn(float a) { return {__float2half(a), __float2half(a)}; }
inline __half2 __floats2half2_rn(float a, float b) { return {__float2half(a), __float2half(b)}; }
inline __half2 __float22half2_rn(float2 a) { return {__float2half(a.x), __float2half(a.y)}; }
inline float2 __half22float2(__half2 a) { return {__half2float(a.x), __half2float(a.y)}; }
inline __half2 __half2half2(__half a) { return {a, a}; }
inline __half2 __halves2half2(__half a, __half b) { return {a, b}; }
inline __half2 make_half2(__half a, __half b) { return {a, b}; }
#define CUDART_INF_FP16 __ushort_as_half(static_cast<unsigned short>(0x7c00))
#define CUDART_ONE_FP16 __ushort_as_half(static_cast<unsigned short>(0x3c00))
#define CUDART_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0))
#define CUDART_NAN_FP16 __ushort_as_half(static_cast<unsigned short>(0x7fff))
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(static_cast<unsigned short>(0x7bff))
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(static_cast<unsigned short>(0x0001))
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0x8000))
#define CUDART_INF_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7f80))
#define CUDART_NAN_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7fff))
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7f7f))
#define CUDART_ONE_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x3f80))
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0))

inline __nv_bfloat162 __float2bfloat162_rn(float a) {
  return {__float2bfloat16(a), __float2bfloat16(a)};
}
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return {__float2bfloat16(a), __float2bfloat16(b)};
}
inline __nv_bfloat162 __float22bfloat162_rn(float2 a) {
  return {__float2bfloat16(a.x), __float2bfloat16(a.y)};
}
inline float2 __bfloat1622float2(__nv_bfloat162 a) {
  return {__bfloat162float(a.x), __bfloat162float(a.y)};
}
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }

// --- The halves of a pair ---
KM_FORMAT KM_ONE __low2half(KM_TWO a) { return a.x; }
KM_FORMAT KM_ONE __high2half(KM_TWO a) { return a.y; }
KM_FORMAT KM_ONE __low2bfloat16(KM_TWO a) { return a.x; }
KM_FORMAT KM_ONE __high2bfloat16(KM_TWO a) { return a.y; }
KM_FORMAT float __low2float(KM_TWO a) { return KM_NUMBER(a.x); }
KM_FORMAT float __high2float(KM_TWO a) { return KM_NUMBER(a.y); }
KM_FORMAT KM_TWO __low2half2(KM_TWO a) { return {a.x, a.x}; }
KM_FORMAT KM_TWO __high2half2(KM_TWO a) { return {a.y, a.y}; }
KM_FORMAT KM_TWO __low2bfloat162(KM_TWO a) { return {a.x, a.x}; }
KM_FORMAT KM_TWO __high2bfloat162(KM_TWO a) { return {a.y, a.y}; }
KM_FORMAT KM_TWO __lows2bfloat162(KM_TWO a, KM_TWO b) { return {a.x, b.x}; }
KM_FORMAT KM_TWO __highs2bfloat162(KM_TWO a, KM_TWO b) { return {a.y, b.y}; }
KM_FORMAT KM_TWO __lowhigh2highlow(KM_TWO a) { return {a.y, a.x}; }
KM_FORMAT KM_TWO __lows2half2(KM_TWO a, KM_TWO b) { return {a.x, b.x}; }
KM_FORMAT KM_TWO __highs2half2(KM_TWO a, KM_TWO b) { return {a.y, b.y}; }

// --- Arithmetic, comparisons and mathematics of single values and pairs ---
#define KM_BINARY(name, pair, expression)           \
  KM_FORMAT KM_ONE name(KM_ONE a, KM_ONE b) {       \
    const float x = KM_NUMBER(a), y = KM_NUMBER(b); \
    return KM_NUMBER(expression);                   \
  }                                                 \
  KM_FORMAT KM_TWO pair(KM_TWO a, KM_TWO b) { return {name(a.x, b.x), name(a.y, b.y)}; }
KM_BINARY(__hadd, __hadd2, x + y)
KM_BINARY(__hsub, __hsub2, x - y)
KM_BINARY(__hmul, __hmul2, x* y)
KM_BINARY(__hdiv, __h2div, x / y)
KM_BINARY(__hadd_rn, __hadd2_rn, x + y)
KM_BINARY(__hsub_rn, __hsub2_rn, x - y)
KM_BINARY(__hmul_rn, __hmul2_rn, x* y)
KM_BINARY(__hadd_sat, __hadd2_sat, __saturatef(x + y))
KM_BINARY(__hsub_sat, __hsub2_sat, __saturatef(x - y))
KM_BINARY(__hmul_sat, __hmul2_sat, __saturatef(x* y))
KM_BINARY(__hmax, __hmax2, fmaxf(x, y))
KM_BINARY(__hmin, __hmin2, fminf(x, y))
KM_BINARY(__hmax_nan, __hmax2_nan, x != x || y != y ? NAN : fmaxf(x, y))
KM_BINARY(__hmin_nan, __hmin2_nan, x != x || y != y ? NAN : fminf(x, y))
#undef KM_BINARY
// The product is exact in double. The sum is rounded to odd, so that rounding it again gives the
// correctly rounded result.
#define KM_FUSED(name, pair, expression)                                                      \
  KM_FORMAT KM_ONE name(KM_ONE a, KM_ONE b, KM_ONE c) {                                       \
    const double sum =                                                                        \
        static_cast<double>(float(KM_NUMBER(a))) * float(KM_NUMBER(b)) + float(KM_NUMBER(c)); \
    return KM_NUMBER(expression);                                                             \
  }                                                                                           \
  KM_FORMAT KM_TWO pair(KM_TWO a, KM_TWO b, KM_TWO c) {                                       \
    return {name(a.x, b.x, c.x), name(a.y, b.y, c.y)};                                        \
  }
KM_FUSED(__hfma, __hfma2, sum)
KM_FUSED(__hfma_sat, __hfma2_sat, sum > 0.0 ? (sum < 1.0 ? sum : 1.0) : 0.0)
KM_FUSED(__hfma_relu, __hfma2_relu, sum < 0.0 ? 0.0 : sum)
#undef KM_FUSED
// a * b + c of complex numbers.
KM_FORMAT KM_TWO __hcmadd(KM_TWO a, KM_TWO b, KM_TWO c) {
  return {__hfma(KM_ONE(-KM_NUMBER(a.y)), b.y, __hfma(a.x, b.x, c.x)),
          __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
}

#define KM_UNARY(name, pair, expression) \
  KM_FORMAT KM_ONE name(KM_ONE a) {      \
    const float x = KM_NUMBER(a);        \
    return KM_NUMBER(expression);        \
  }                                      \
  KM_FORMAT KM_TWO pair(KM_TWO a) { return {name(a.x), name(a.y)}; }
KM_UNARY(__hneg, __hneg2, -x)
KM_UNARY(__habs, __habs2, fabsf(x))
KM_UNARY(hexp, h2exp, expf(x))
KM_UNARY(hexp2, h2exp2, exp2f(x))
KM_UNARY(hexp10, h2exp10, exp10f(x))
KM_UNARY(hlog, h2log, logf(x))
KM_UNARY(hlog2, h2log2, log2f(x))
KM_UNARY(hlog10, h2log10, log10f(x))
KM_UNARY(hsqrt, h2sqrt, sqrtf(x))
KM_UNARY(hrsqrt, h2rsqrt, 1.0f / sqrtf(x))
KM_UNARY(hrcp, h2rcp, 1.0f / x)
KM_UNARY(hsin, h2sin, sinf(x))
KM_UNARY(hcos, h2cos, cosf(x))
KM_UNARY(htanh, h2tanh, tanhf(x))
KM_UNARY(htanh_approx, h2tanh_approx, tanhf(x))
KM_UNARY(hfloor, h2floor, floorf(x))
KM_UNARY(hceil, h2ceil, ceilf(x))
KM_UNARY(htrunc, h2trunc, truncf(x))
KM_UNARY(hrint, h2rint, nearbyintf(x))
#undef KM_UNARY

// Comparisons of single values, of pairs with results 1 and 0, of pairs with masks, and of pairs
// with one result for both. In the functions with "u" a comparison with NaN is true.
#define KM_COMPARISON(name, expression)                                                     \
  KM_FORMAT bool __h##name(KM_ONE a, KM_ONE b) {                                            \
    const float x = KM_NUMBER(a), y = KM_NUMBER(b);                                         \
    return expression;                                                                      \
  }                                                                                         \
  KM_FORMAT KM_TWO __h##name##2(KM_TWO a, KM_TWO b) {                                       \
    return {KM_NUMBER(__h##name(a.x, b.x) ? 1.0f : 0.0f),                                   \
            KM_NUMBER(__h##name(a.y, b.y) ? 1.0f : 0.0f)};                                  \
  }                                                                                         \
  KM_FORMAT unsigned __h##name##2_mask(KM_TWO a, KM_TWO b) {                                \
    return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u); \
  }                                                                                         \
  KM_FORMAT bool __hb##name##2(KM_TWO a, KM_TWO b) {                                        \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                      \
  }
KM_COMPARISON(eq, x == y)
KM_COMPARISON(ne, x<y || x> y)
KM_COMPARISON(lt, x < y)
KM_COMPARISON(le, x <= y)
KM_COMPARISON(gt, x > y)
KM_COMPARISON(ge, x >= y)
KM_COMPARISON(equ, !(x < y || x > y))
KM_COMPARISON(neu, x != y)
KM_COMPARISON(ltu, !(x >= y))
KM_COMPARISON(leu, !(x > y))
KM_COMPARISON(gtu, !(x <= y))
KM_COMPARISON(geu, !(x < y))
#undef KM_COMPARISON
KM_FORMAT bool __hisnan(KM_ONE a) {
  const float x = KM_NUMBER(a);
  return x != x;
}
KM_FORMAT KM_TWO __hisnan2(KM_TWO a) {
  return {KM_NUMBER(__hisnan(a.x) ? 1.0f : 0.0f), KM_NUMBER(__hisnan(a.y) ? 1.0f : 0.0f)};
}
KM_FORMAT int __hisinf(KM_ONE a) {
  const float x = KM_NUMBER(a);
  return std::isinf(x) ? (x > 0 ? 1 : -1) : 0;
}
#undef KM_FORMAT
#undef KM_ONE
#undef KM_TWO
#undef KM_NUMBER
