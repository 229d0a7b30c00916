// The functions of cuda_fp16.h and cuda_bf16.h, for both formats at once.
#pragma once

#include <kernelmill/device_math.h>
#include <kernelmill/half.h>
#include <kernelmill/warp.h>

#define KM_FORMAT template <typename Format>
#define KM_ONE ::kernelmill::Rounded<Format>
#define KM_TWO ::kernelmill::RoundedPair<Format>

// --- Conversions that name their format ---
inline float __half2float(__half a) { return a; }
inline __half __float2half(float a) { return __half(a); }
inline __half __float2half_rn(float a) { return __half(a); }
inline __half __double2half(double a) { return __half(a); }
inline __half2 __float2half2_rn(float a) { return {__half(a), __half(a)}; }
inline __half2 __floats2half2_rn(float a, float b) { return {__half(a), __half(b)}; }
inline __half2 __float22half2_rn(float2 a) { return {__half(a.x), __half(a.y)}; }
inline float2 __half22float2(__half2 a) { return {a.x, a.y}; }
inline __half2 __half2half2(__half a) { return {a, a}; }
inline __half2 __halves2half2(__half a, __half b) { return {a, b}; }
inline __half2 make_half2(__half a, __half b) { return {a, b}; }
inline int __half2int_rn(__half a) { return static_cast<int>(nearbyintf(a)); }
inline int __half2int_rz(__half a) { return static_cast<int>(static_cast<float>(a)); }
inline int __half2int_rd(__half a) { return static_cast<int>(floorf(a)); }
inline int __half2int_ru(__half a) { return static_cast<int>(ceilf(a)); }
inline __half __int2half_rn(int a) { return __half(a); }
inline __half __uint2half_rn(unsigned a) { return __half(a); }
inline __half __short2half_rn(short a) { return __half(a); }
inline unsigned short __half_as_ushort(__half a) { return a.bits; }
inline short __half_as_short(__half a) { return static_cast<short>(a.bits); }
inline __half __ushort_as_half(unsigned short a) { return __half::FromBits(a); }
inline __half __short_as_half(short a) { return __half::FromBits(static_cast<unsigned short>(a)); }
#define CUDART_INF_FP16 __ushort_as_half(static_cast<unsigned short>(0x7c00))
#define CUDART_ONE_FP16 __ushort_as_half(static_cast<unsigned short>(0x3c00))
#define CUDART_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0))

inline float __bfloat162float(__nv_bfloat16 a) { return a; }
inline __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
inline __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
inline __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16(a); }
inline __nv_bfloat162 __float2bfloat162_rn(float a) { return {a, a}; }
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {a, b}; }
inline __nv_bfloat162 __float22bfloat162_rn(float2 a) { return {a.x, a.y}; }
inline float2 __bfloat1622float2(__nv_bfloat162 a) { return {a.x, a.y}; }
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
inline __nv_bfloat16 __int2bfloat16_rn(int a) { return __nv_bfloat16(a); }
inline int __bfloat162int_rn(__nv_bfloat16 a) { return static_cast<int>(nearbyintf(a)); }
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.bits; }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) { return __nv_bfloat16::FromBits(a); }

// --- The halves of a pair ---
KM_FORMAT KM_ONE __low2half(KM_TWO a) { return a.x; }
KM_FORMAT KM_ONE __high2half(KM_TWO a) { return a.y; }
KM_FORMAT KM_ONE __low2bfloat16(KM_TWO a) { return a.x; }
KM_FORMAT KM_ONE __high2bfloat16(KM_TWO a) { return a.y; }
KM_FORMAT float __low2float(KM_TWO a) { return a.x; }
KM_FORMAT float __high2float(KM_TWO a) { return a.y; }
KM_FORMAT KM_TWO __low2half2(KM_TWO a) { return {a.x, a.x}; }
KM_FORMAT KM_TWO __high2half2(KM_TWO a) { return {a.y, a.y}; }
KM_FORMAT KM_TWO __lowhigh2highlow(KM_TWO a) { return {a.y, a.x}; }
KM_FORMAT KM_TWO __lows2half2(KM_TWO a, KM_TWO b) { return {a.x, b.x}; }
KM_FORMAT KM_TWO __highs2half2(KM_TWO a, KM_TWO b) { return {a.y, b.y}; }

// --- Arithmetic, comparison and mathematics of one and of two ---
#define KM_BINARY(name, expression)                                     \
  KM_FORMAT KM_ONE name(KM_ONE a, KM_ONE b) {                           \
    const float x = a, y = b;                                           \
    return KM_ONE(expression);                                          \
  }                                                                     \
  KM_FORMAT KM_TWO name##2(KM_TWO a, KM_TWO b) { return {name(a.x, b.x), name(a.y, b.y)}; }
KM_BINARY(__hadd, x + y)
KM_BINARY(__hsub, x - y)
KM_BINARY(__hmul, x* y)
KM_BINARY(__hadd_rn, x + y)
KM_BINARY(__hsub_rn, x - y)
KM_BINARY(__hmul_rn, x* y)
KM_BINARY(__hadd_sat, __saturatef(x + y))
KM_BINARY(__hmul_sat, __saturatef(x* y))
KM_BINARY(__hmax, fmaxf(x, y))
KM_BINARY(__hmin, fminf(x, y))
KM_BINARY(__hmax_nan, x != x || y != y ? NAN : fmaxf(x, y))
KM_BINARY(__hmin_nan, x != x || y != y ? NAN : fminf(x, y))
#undef KM_BINARY
KM_FORMAT KM_ONE __hdiv(KM_ONE a, KM_ONE b) { return a / b; }
KM_FORMAT KM_TWO __h2div(KM_TWO a, KM_TWO b) { return a / b; }
KM_FORMAT KM_ONE __hfma(KM_ONE a, KM_ONE b, KM_ONE c) {
  // In double the product is exact and the sum is rounded once more than on the device, far below
  // the last bit of the result.
  return KM_ONE(static_cast<float>(static_cast<double>(float(a)) * float(b) + float(c)));
}
KM_FORMAT KM_TWO __hfma2(KM_TWO a, KM_TWO b, KM_TWO c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
KM_FORMAT KM_ONE __hfma_relu(KM_ONE a, KM_ONE b, KM_ONE c) {
  return KM_ONE(fmaxf(__hfma(a, b, c), 0.0f));
}

#define KM_UNARY(name, pair, expression)       \
  KM_FORMAT KM_ONE name(KM_ONE a) {            \
    const float x = a;                         \
    return KM_ONE(expression);                 \
  }                                            \
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
KM_UNARY(hfloor, h2floor, floorf(x))
KM_UNARY(hceil, h2ceil, ceilf(x))
KM_UNARY(htrunc, h2trunc, truncf(x))
KM_UNARY(hrint, h2rint, nearbyintf(x))
#undef KM_UNARY

#define KM_COMPARISON(name, expression)                                                   \
  KM_FORMAT bool name(KM_ONE a, KM_ONE b) {                                               \
    const float x = a, y = b;                                                             \
    return expression;                                                                    \
  }                                                                                       \
  KM_FORMAT KM_TWO name##2(KM_TWO a, KM_TWO b) {                                          \
    return {KM_ONE(name(a.x, b.x) ? 1.0f : 0.0f), KM_ONE(name(a.y, b.y) ? 1.0f : 0.0f)};  \
  }
KM_COMPARISON(__heq, x == y)
KM_COMPARISON(__hne, x != y && x == x && y == y)
KM_COMPARISON(__hlt, x < y)
KM_COMPARISON(__hle, x <= y)
KM_COMPARISON(__hgt, x > y)
KM_COMPARISON(__hge, x >= y)
#undef KM_COMPARISON
KM_FORMAT bool __hisnan(KM_ONE a) { return float(a) != float(a); }
KM_FORMAT int __hisinf(KM_ONE a) {
  return std::isinf(float(a)) ? (float(a) > 0 ? 1 : -1) : 0;
}
#undef KM_FORMAT
#undef KM_ONE
#undef KM_TWO
