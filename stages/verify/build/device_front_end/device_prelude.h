// Declares what device code in a PyTorch extension uses without including it: the few parts of the
// C++ library that kernels need, torch's macros and its accessors. DeviceCompiler
// (stages/verify/build/device_compiler.h) has NVRTC include it before each kernel. libcu++ has the
// library's part and more but takes seconds to compile, so it is used, whole, only if this header
// does not suffice: what it lacks of namespace std, device code does not have.
#pragma once

#ifdef KERNELMILL_WHOLE_LIBRARY

#include <cuda/std/algorithm>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/bitset>
#include <cuda/std/cassert>
#include <cuda/std/cfloat>
#include <cuda/std/climits>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/concepts>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/cstdlib>
#include <cuda/std/cstring>
#include <cuda/std/functional>
#include <cuda/std/initializer_list>
#include <cuda/std/iterator>
#include <cuda/std/limits>
#include <cuda/std/numbers>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/ratio>
#include <cuda/std/span>
#include <cuda/std/string_view>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <cuda/std/variant>
namespace std {
using namespace cuda::std;
}

#else

using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long;
using intptr_t = long;
using uintptr_t = unsigned long;

#define INT8_MAX 127
#define INT16_MAX 32767
#define UINT8_MAX 255
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define INT32_MAX INT_MAX
#define INT32_MIN INT_MIN
#define UINT_MAX 4294967295u
#define UINT32_MAX UINT_MAX
#define LONG_MAX 9223372036854775807L
#define LLONG_MAX 9223372036854775807LL
#define INT64_MAX LONG_MAX
#define INT64_MIN (-LONG_MAX - 1)
#define UINT64_MAX 18446744073709551615ul
#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.192092896e-07F
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-016

#endif

#ifndef INFINITY
#define INFINITY (__int_as_float(0x7f800000))
#endif
#ifndef NAN
#define NAN (__int_as_float(0x7fffffff))
#endif
#ifndef HUGE_VALF
#define HUGE_VALF INFINITY
#define HUGE_VAL (static_cast<double>(INFINITY))
#endif
#define M_E 2.71828182845904523536
#define M_LOG2E 1.44269504088896340736
#define M_LOG10E 0.434294481903251827651
#define M_LN2 0.693147180559945309417
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.785398163397448309616
#define M_1_PI 0.318309886183790671538
#define M_2_PI 0.636619772367581343076
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.707106781186547524401

#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_RESTRICT __restrict__
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define CUDA_KERNEL_LOOP_TYPE(i, n, type)                                          \
  for (type i = static_cast<type>(blockIdx.x) * blockDim.x + threadIdx.x; i < (n); \
       i += static_cast<type>(blockDim.x) * gridDim.x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#define CUDA_KERNEL_ASSERT(condition) assert(condition)

#ifndef KERNELMILL_WHOLE_LIBRARY

namespace std {

using ::abs;
using ::acos;
using ::asin;
using ::atan;
using ::atan2;
using ::ceil;
using ::cos;
using ::cosh;
using ::erf;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::pow;
using ::round;
using ::rsqrt;
using ::sin;
using ::sinh;
using ::size_t;
using ::sqrt;
using ::tan;
using ::tanh;
using ::trunc;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;

template <typename T>
__host__ __device__ constexpr const T& max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <typename T>
__host__ __device__ constexpr const T& min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <typename T>
__host__ __device__ constexpr const T& clamp(const T& value, const T& low, const T& high) {
  return value < low ? low : high < value ? high : value;
}

template <typename T, T kValue>
struct integral_constant {
  static constexpr T value = kValue;
  using value_type = T;
  __host__ __device__ constexpr operator T() const { return kValue; }
};
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;
template <typename A, typename B>
struct is_same : false_type {};
template <typename A>
struct is_same<A, A> : true_type {};
template <typename A, typename B>
inline constexpr bool is_same_v = is_same<A, B>::value;
template <bool kCondition, typename A, typename B>
struct conditional {
  using type = A;
};
template <typename A, typename B>
struct conditional<false, A, B> {
  using type = B;
};
template <bool kCondition, typename A, typename B>
using conditional_t = typename conditional<kCondition, A, B>::type;
template <bool kCondition, typename T = void>
struct enable_if {};
template <typename T>
struct enable_if<true, T> {
  using type = T;
};
template <bool kCondition, typename T = void>
using enable_if_t = typename enable_if<kCondition, T>::type;
template <typename T>
__host__ __device__ constexpr void swap(T& a, T& b) {
  T kept = static_cast<T&&>(a);
  a = static_cast<T&&>(b);
  b = static_cast<T&&>(kept);
}

template <typename T>
struct numeric_limits;
#define KM_LIMITS(type, lowest_value, least, greatest)                   \
  template <>                                                            \
  struct numeric_limits<type> {                                          \
    __host__ __device__ static constexpr type min() { return least; }    \
    __host__ __device__ static constexpr type max() { return greatest; } \
    __host__ __device__ static constexpr type lowest() { return lowest_value; }
#define KM_INTEGER_LIMITS(type, least, greatest) \
  KM_LIMITS(type, least, least, greatest)        \
  }
KM_INTEGER_LIMITS(signed char, -128, 127);
KM_INTEGER_LIMITS(unsigned char, 0, 255);
KM_INTEGER_LIMITS(short, -32768, 32767);
KM_INTEGER_LIMITS(unsigned short, 0, 65535);
KM_INTEGER_LIMITS(int, INT_MIN, INT_MAX);
KM_INTEGER_LIMITS(unsigned int, 0, UINT_MAX);
KM_INTEGER_LIMITS(long, INT64_MIN, INT64_MAX);
KM_INTEGER_LIMITS(unsigned long, 0, UINT64_MAX);
KM_INTEGER_LIMITS(long long, INT64_MIN, INT64_MAX);
KM_INTEGER_LIMITS(unsigned long long, 0, UINT64_MAX);
KM_LIMITS(float, -FLT_MAX, FLT_MIN, FLT_MAX)
__host__ __device__ static constexpr float epsilon() { return FLT_EPSILON; }
__device__ static float infinity() { return INFINITY; }
__device__ static float quiet_NaN() { return NAN; }
};
KM_LIMITS(double, -DBL_MAX, DBL_MIN, DBL_MAX)
__host__ __device__ static constexpr double epsilon() { return DBL_EPSILON; }
__device__ static double infinity() { return HUGE_VAL; }
__device__ static double quiet_NaN() { return NAN; }
}
;
#undef KM_LIMITS
#undef KM_INTEGER_LIMITS

}  // namespace std

#endif

// What kernels use of torch's accessors: a tensor's address, sizes and strides, and its elements by
// one index after the other.
namespace at {

template <typename T>
struct DefaultPtrTraits {
  using PtrType = T*;
};
template <typename T>
struct RestrictPtrTraits {
  using PtrType = T* __restrict__;
};

template <typename T, unsigned long kRank, template <typename> class Traits, typename Index>
struct PartOfTensor {
  using PtrType = typename Traits<T>::PtrType;
  PtrType data_;
  const Index* sizes_;
  const Index* strides_;
  __device__ PtrType data() const { return data_; }
  __device__ Index size(Index i) const { return sizes_[i]; }
  __device__ Index stride(Index i) const { return strides_[i]; }
  __device__ decltype(auto) operator[](Index i) const {
    if constexpr (kRank == 1) {
      return static_cast<T&>(data_[i * strides_[0]]);
    } else {
      return PartOfTensor<T, kRank - 1, Traits, Index>{data_ + i * strides_[0], sizes_ + 1,
                                                       strides_ + 1};
    }
  }
};
template <typename T, unsigned long kRank, template <typename> class Traits = DefaultPtrTraits,
          typename Index = long>
using TensorAccessor = PartOfTensor<T, kRank, Traits, Index>;

template <typename T, unsigned long kRank, template <typename> class Traits = DefaultPtrTraits,
          typename Index = long>
struct GenericPackedTensorAccessor {
  using PtrType = typename Traits<T>::PtrType;
  PtrType data_;
  Index sizes_[kRank], strides_[kRank];
  __device__ PtrType data() const { return data_; }
  __device__ Index size(Index i) const { return sizes_[i]; }
  __device__ Index stride(Index i) const { return strides_[i]; }
  __device__ decltype(auto) operator[](Index i) const {
    return PartOfTensor<T, kRank, Traits, Index>{data_, sizes_, strides_}[i];
  }
};
template <typename T, unsigned long kRank, template <typename> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, kRank, Traits, int>;
template <typename T, unsigned long kRank, template <typename> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, kRank, Traits, long>;

// Arrays that kernels hold, and the type that torch computes in.
namespace detail {
template <typename T, int kSize>
struct Array {
  T data[kSize];
  __host__ __device__ T operator[](int i) const { return data[i]; }
  __host__ __device__ T& operator[](int i) { return data[i]; }
  __host__ __device__ static constexpr int size() { return kSize; }
};
}  // namespace detail

template <typename T>
struct OpMathType {
  using type = T;
};
template <typename T>
using opmath_type = typename OpMathType<T>::type;

}  // namespace at

namespace torch {
using namespace at;
}  // namespace torch
