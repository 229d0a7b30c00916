// Implements CUDA's SIMD intrinsics (__vadd2, __vcmpgtu4 …), which treat a word as two 16-bit or
// four 8-bit integers, and its minima and maxima of three or of a sum (__vimax3_s32, __viaddmin_u32
// …), for kernels that run on the executor.
#pragma once

#include <type_traits>

namespace kernelmill {

// Applies f to each pair of integers of `a` and `b`, and truncates each result to the integers'
// size.
template <typename Number, typename F>
unsigned EachPacked(unsigned a, unsigned b, F f) {
  unsigned result = 0;
  for (unsigned shift = 0; shift < 32; shift += 8 * sizeof(Number)) {
    const int x = static_cast<Number>(a >> shift), y = static_cast<Number>(b >> shift);
    result |= static_cast<unsigned>(static_cast<std::make_unsigned_t<Number>>(f(x, y))) << shift;
  }
  return result;
}
template <typename Number>
int Clamped(int number) {
  constexpr bool kSigned = std::is_signed_v<Number>;
  constexpr int kBits = 8 * sizeof(Number);
  constexpr int kHighest = kSigned ? (1 << (kBits - 1)) - 1 : (1 << kBits) - 1;
  constexpr int kLowest = kSigned ? -kHighest - 1 : 0;
  return number < kLowest ? kLowest : number > kHighest ? kHighest : number;
}
// The sum of absolute differences.
template <typename Number>
unsigned PackedDistance(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (unsigned shift = 0; shift < 32; shift += 8 * sizeof(Number)) {
    const int x = static_cast<Number>(a >> shift), y = static_cast<Number>(b >> shift);
    sum += static_cast<unsigned>(x < y ? y - x : x - y);
  }
  return sum;
}

}  // namespace kernelmill

#define KM_PACKED(name, Number, expression)                                               \
  inline unsigned name(unsigned a, unsigned b) {                                          \
    return kernelmill::EachPacked<Number>(a, b, [](int x, int y) { return expression; }); \
  }
#define KM_PACKED_ONE(name, Number, expression)                                         \
  inline unsigned name(unsigned a) {                                                    \
    return kernelmill::EachPacked<Number>(a, 0, [](int x, int) { return expression; }); \
  }
// Comparisons whose result is a mask of all ones (__vcmp…) or 1 (__vset…).
#define KM_PACKED_COMPARISON(name, count, Number, sign)     \
  KM_PACKED(__vcmp##name##count, Number, x sign y ? -1 : 0) \
  KM_PACKED(__vset##name##count, Number, x sign y ? 1 : 0)
#define KM_PACKED_SIZE(count, Signed, Unsigned)                                       \
  KM_PACKED(__vadd##count, Unsigned, x + y)                                           \
  KM_PACKED(__vsub##count, Unsigned, x - y)                                           \
  KM_PACKED(__vaddss##count, Signed, kernelmill::Clamped<Signed>(x + y))              \
  KM_PACKED(__vaddus##count, Unsigned, kernelmill::Clamped<Unsigned>(x + y))          \
  KM_PACKED(__vsubss##count, Signed, kernelmill::Clamped<Signed>(x - y))              \
  KM_PACKED(__vsubus##count, Unsigned, kernelmill::Clamped<Unsigned>(x - y))          \
  KM_PACKED(__vabsdiffs##count, Signed, x < y ? y - x : x - y)                        \
  KM_PACKED(__vabsdiffu##count, Unsigned, x < y ? y - x : x - y)                      \
  KM_PACKED(__vavgs##count, Signed, (x + y + (x + y >= 0)) >> 1)                      \
  KM_PACKED(__vavgu##count, Unsigned, (x + y + 1) >> 1)                               \
  KM_PACKED(__vhaddu##count, Unsigned, (x + y) >> 1)                                  \
  KM_PACKED(__vmaxs##count, Signed, x < y ? y : x)                                    \
  KM_PACKED(__vmaxu##count, Unsigned, x < y ? y : x)                                  \
  KM_PACKED(__vmins##count, Signed, y < x ? y : x)                                    \
  KM_PACKED(__vminu##count, Unsigned, y < x ? y : x)                                  \
  KM_PACKED_ONE(__vabs##count, Signed, x < 0 ? -x : x)                                \
  KM_PACKED_ONE(__vabsss##count, Signed, kernelmill::Clamped<Signed>(x < 0 ? -x : x)) \
  KM_PACKED_ONE(__vneg##count, Signed, -x)                                            \
  KM_PACKED_ONE(__vnegss##count, Signed, kernelmill::Clamped<Signed>(-x))             \
  KM_PACKED_COMPARISON(eq, count, Unsigned, ==)                                       \
  KM_PACKED_COMPARISON(ne, count, Unsigned, !=)                                       \
  KM_PACKED_COMPARISON(ges, count, Signed, >=)                                        \
  KM_PACKED_COMPARISON(geu, count, Unsigned, >=)                                      \
  KM_PACKED_COMPARISON(gts, count, Signed, >)                                         \
  KM_PACKED_COMPARISON(gtu, count, Unsigned, >)                                       \
  KM_PACKED_COMPARISON(les, count, Signed, <=)                                        \
  KM_PACKED_COMPARISON(leu, count, Unsigned, <=)                                      \
  KM_PACKED_COMPARISON(lts, count, Signed, <)                                         \
  KM_PACKED_COMPARISON(ltu, count, Unsigned, <)                                       \
  inline unsigned __vsads##count(unsigned a, unsigned b) {                            \
    return kernelmill::PackedDistance<Signed>(a, b);                                  \
  }                                                                                   \
  inline unsigned __vsadu##count(unsigned a, unsigned b) {                            \
    return kernelmill::PackedDistance<Unsigned>(a, b);                                \
  }
KM_PACKED_SIZE(2, short, unsigned short)
KM_PACKED_SIZE(4, signed char, unsigned char)
#undef KM_PACKED_SIZE
#undef KM_PACKED_COMPARISON

// Maximum and minimum of two and three integers; in the functions with "relu" the result is at
// least 0.
#define KM_LARGEST(Number, suffix)                                        \
  inline Number __vimax3_##suffix(Number a, Number b, Number c) {         \
    const Number larger = a < b ? b : a;                                  \
    return larger < c ? c : larger;                                       \
  }                                                                       \
  inline Number __vimin3_##suffix(Number a, Number b, Number c) {         \
    const Number smaller = b < a ? b : a;                                 \
    return c < smaller ? c : smaller;                                     \
  }                                                                       \
  inline Number __viaddmax_##suffix(Number a, Number b, Number c) {       \
    const Number sum = static_cast<Number>(static_cast<unsigned>(a) + b); \
    return sum < c ? c : sum;                                             \
  }                                                                       \
  inline Number __viaddmin_##suffix(Number a, Number b, Number c) {       \
    const Number sum = static_cast<Number>(static_cast<unsigned>(a) + b); \
    return c < sum ? c : sum;                                             \
  }
KM_LARGEST(int, s32)
KM_LARGEST(unsigned, u32)
#undef KM_LARGEST
inline int __vimax_s32_relu(int a, int b) { return __vimax3_s32(a, b, 0); }
inline int __vimin_s32_relu(int a, int b) {
  const int smaller = b < a ? b : a;
  return smaller < 0 ? 0 : smaller;
}
KM_PACKED(__vimax_s16x2_relu, short, x < y ? (y < 0 ? 0 : y) : (x < 0 ? 0 : x))
KM_PACKED(__vimin_s16x2_relu, short, y < x ? (y < 0 ? 0 : y) : (x < 0 ? 0 : x))
#undef KM_PACKED
#undef KM_PACKED_ONE
