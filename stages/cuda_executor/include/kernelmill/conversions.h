// Implements CUDA's type casting intrinsics (__float2int_rn, __float_as_uint …) for kernels that
// run on the executor: conversions with the rounding mode in their name, and reinterpretations of
// bits.
#pragma once

#include <type_traits>

#include <kernelmill/rounding.h>

#define KM_TO_INTEGER(from, float_type, to, integer)          \
  inline integer __##from##2##to##_rn(float_type x) {         \
    return kernelmill::Saturated<integer>(std::nearbyint(x)); \
  }                                                           \
  inline integer __##from##2##to##_rz(float_type x) {         \
    return kernelmill::Saturated<integer>(std::trunc(x));     \
  }                                                           \
  inline integer __##from##2##to##_rd(float_type x) {         \
    return kernelmill::Saturated<integer>(std::floor(x));     \
  }                                                           \
  inline integer __##from##2##to##_ru(float_type x) {         \
    return kernelmill::Saturated<integer>(std::ceil(x));      \
  }
KM_TO_INTEGER(float, float, int, int)
KM_TO_INTEGER(float, float, uint, unsigned)
KM_TO_INTEGER(float, float, ll, long long)
KM_TO_INTEGER(float, float, ull, unsigned long long)
KM_TO_INTEGER(double, double, int, int)
KM_TO_INTEGER(double, double, uint, unsigned)
KM_TO_INTEGER(double, double, ll, long long)
KM_TO_INTEGER(double, double, ull, unsigned long long)
#undef KM_TO_INTEGER

#define KM_TO_FLOAT_IN(from, from_type, to, to_type, suffix, mode)                      \
  inline to_type __##from##2##to##_##suffix(from_type x) {                              \
    return kernelmill::InRoundingMode(mode, [](from_type n) { return to_type(n); }, x); \
  }
#define KM_TO_FLOAT(from, from_type, to, to_type)                 \
  KM_TO_FLOAT_IN(from, from_type, to, to_type, rn, FE_TONEAREST)  \
  KM_TO_FLOAT_IN(from, from_type, to, to_type, rz, FE_TOWARDZERO) \
  KM_TO_FLOAT_IN(from, from_type, to, to_type, rd, FE_DOWNWARD)   \
  KM_TO_FLOAT_IN(from, from_type, to, to_type, ru, FE_UPWARD)
KM_TO_FLOAT(int, int, float, float)
KM_TO_FLOAT(uint, unsigned, float, float)
KM_TO_FLOAT(ll, long long, float, float)
KM_TO_FLOAT(ull, unsigned long long, float, float)
KM_TO_FLOAT(ll, long long, double, double)
KM_TO_FLOAT(ull, unsigned long long, double, double)
KM_TO_FLOAT(double, double, float, float)
#undef KM_TO_FLOAT
#undef KM_TO_FLOAT_IN
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }

namespace kernelmill {
// What is no number as the result of an operation has the bits 0xffc00000 on this processor, and
// 0x7fffffff on NVIDIA's (CUDA C++ Programming Guide, "Floating-Point Standard"). Other bits have
// been moved, and stay: two halves may lie in one float.
inline unsigned BitsOnDevice(float x) {
  const unsigned bits = __builtin_bit_cast(unsigned, x);
  return bits == 0xffc00000u ? 0x7fffffffu : bits;
}
// What a thread reads at the address of a variable, as numbers of another type.
template <typename Pointer, typename Variable>
decltype(auto) BitsAsRead(Pointer address, const Variable& variable) {
  using Bits = std::remove_cv_t<std::remove_pointer_t<Pointer>>;
  if constexpr (std::is_same_v<Variable, float> && std::is_integral_v<Bits> &&
                sizeof(Bits) == sizeof(float)) {
    return static_cast<Bits>(BitsOnDevice(variable));
  } else {
    return (*address);
  }
}
}  // namespace kernelmill

inline int __float_as_int(float x) { return static_cast<int>(kernelmill::BitsOnDevice(x)); }
inline float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
inline unsigned __float_as_uint(float x) { return kernelmill::BitsOnDevice(x); }
inline float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
inline long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
inline int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double((static_cast<long long>(high) << 32) | static_cast<unsigned>(low));
}
