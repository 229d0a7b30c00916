// Maximum and minimum of floating-point numbers as a device has them (PTX ISA, max, min): 0 is
// larger than -0, in either order, and a NaN counts as missing. The processor's instructions return
// their second operand where the two are equal, and the compiler makes them of fmaxf(), so these
// take the place of fmaxf(), fmax(), fminf() and fmin(), and of what the C++ library calls.
//
// torch_prelude.h includes it before <cmath>, by another path than the executor's headers do, which
// is why it has no #pragma once.
#ifndef KERNELMILL_EXTREMES_H
#define KERNELMILL_EXTREMES_H

#include <bit>
#include <cstdint>
#include <type_traits>

namespace kernelmill {

// The bits of both comparisons are combined, which differ only for two zeros: the larger of them is
// -0 only if both are, and the smaller one if either is.
template <typename T>
__attribute__((always_inline)) constexpr T Larger(T a, T b) {
  const T first = a < b ? b : a;
  if constexpr (sizeof(T) > sizeof(double)) {
    return a != a ? b : first;
  } else {
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    const T second = b < a ? a : b;
    const T both = std::bit_cast<T>(std::bit_cast<Bits>(first) & std::bit_cast<Bits>(second));
    return a != a ? b : b != b ? a : both;
  }
}
template <typename T>
__attribute__((always_inline)) constexpr T Smaller(T a, T b) {
  const T first = b < a ? b : a;
  if constexpr (sizeof(T) > sizeof(double)) {
    return a != a ? b : first;
  } else {
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    const T second = a < b ? a : b;
    const T either = std::bit_cast<T>(std::bit_cast<Bits>(first) | std::bit_cast<Bits>(second));
    return a != a ? b : b != b ? a : either;
  }
}

}  // namespace kernelmill

// In CUDA mode nothing runs.
#ifndef KERNELMILL_CUDA_MODE
// std::fmax() and the others of the C++ library call these.
#define __builtin_fmaxf ::kernelmill::Larger<float>
#define __builtin_fminf ::kernelmill::Smaller<float>
#define __builtin_fmax ::kernelmill::Larger<double>
#define __builtin_fmin ::kernelmill::Smaller<double>
// The C++ library has one of its own, with std::fmax().
#include <math.h>
// The compiler calls such a definition in place of the function that it knows by the name.
#define KM_EXTREME(name, type, function)                                                           \
  extern "C" extern inline __attribute__((gnu_inline, always_inline)) type name(type a,            \
                                                                                type b) noexcept { \
    return kernelmill::function<type>(a, b);                                                       \
  }
KM_EXTREME(fmaxf, float, Larger)
KM_EXTREME(fminf, float, Smaller)
KM_EXTREME(fmax, double, Larger)
KM_EXTREME(fmin, double, Smaller)
#undef KM_EXTREME
#endif

#endif
