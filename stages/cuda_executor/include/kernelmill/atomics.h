// Implements CUDA's atomic functions (atomicAdd, atomicCAS …) for kernels that run on the executor.
// Only one thread runs at a time, so relaxed operations of the processor suffice. The race detector
// learns of each by OnAtomic(). Each operation counts as one step, so that a loop that waits for
// another thread ends.
#pragma once

#include <kernelmill/access/aligned_access.h>
#include <kernelmill/executor.h>
#include <kernelmill/half.h>
#include <kernelmill/state_spaces.h>

namespace kernelmill {

template <typename T, typename Update>
KM_UNWATCHED T UpdateWord(T* address, Update update) {
  using Bits = std::conditional_t<
      sizeof(T) == 8, std::uint64_t,
      std::conditional_t<sizeof(T) == 4, std::uint32_t,
                         std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;
  static_assert(sizeof(Bits) == sizeof(T), "atomics are of 1, 2, 4 or 8 bytes");
  Bits* const bits = reinterpret_cast<Bits*>(address);
  Bits seen = __atomic_load_n(bits, __ATOMIC_RELAXED);
  while (true) {
    T before;
    std::memcpy(static_cast<void*>(&before), &seen, sizeof seen);
    const T after = update(before);
    Bits wanted;
    std::memcpy(&wanted, static_cast<const void*>(&after), sizeof wanted);
    if (__atomic_compare_exchange_n(bits, &seen, wanted, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
      return before;
    }
  }
}

template <typename T, typename Update>
__attribute__((always_inline)) inline T AtomicUpdate(T* address, Update update, Site site,
                                                      [[maybe_unused]] AtomicKind kind =
                                                          AtomicKind::kUpdate) {
  RequireAligned(address, site);
  StepOfAtomic(address, site);
#ifdef KERNELMILL_TRACE_ACCESSES
  OnAtomic(address, sizeof(T), kind);
#endif
  const T before = UpdateWord(address, update);
  StepBehindAtomic();
  return before;
}

// The sum of numbers as atomicAdd() has it. Where one of the floats is too small to be normal, it
// depends on the kind of memory (SumOfTiny() in state_spaces.h).
inline bool IsTiny(float number) {
  return (__builtin_bit_cast(unsigned, number) & 0x7fffffffu) - 1 < 0x7fffffu;
}
template <typename T>
__attribute__((always_inline)) inline T AtomicSum([[maybe_unused]] const void* address, T old,
                                                  T value) {
  const T sum = static_cast<T>(old + value);
  if constexpr (std::is_same_v<T, float>) {
    if (IsTiny(old) || IsTiny(value) || IsTiny(sum)) [[unlikely]] {
      return SumOfTiny(address, old, value);
    }
  }
  return sum;
}

// Whether an update leaves some values of a type as they are, which it then does with all.
template <typename T, typename Update>
__attribute__((always_inline)) inline bool KeepsAll(bool constant, Update update) {
  if constexpr (std::is_arithmetic_v<T>) {
    return constant && update(T(0)) == T(0) && update(T(1)) == T(1) && update(T(-1)) == T(-1);
  } else {
    return false;
  }
}

}  // namespace kernelmill

// Whether an update with a constant of the text leaves all values as they are.
#define KM_KIND(type, constant, update)                                                         \
  (kernelmill::KeepsAll<type>(constant, update) ? kernelmill::AtomicKind::kRead                 \
                                                : kernelmill::AtomicKind::kUpdate)

#define KM_ATOMIC(name, type, expression)                                                        \
  __attribute__((always_inline)) inline type name(type* address, type value, KM_HERE) {          \
    const auto update = [=]([[maybe_unused]] type old) -> type { return expression; };           \
    return kernelmill::AtomicUpdate(address, update, KM_SITE,                                    \
                                    KM_KIND(type, __builtin_constant_p(value), update));         \
  }                                                                                              \
  inline type name(volatile type* address, type value, KM_HERE) {                                \
    return name(const_cast<type*>(address), value, km_file, km_line);                            \
  }                                                                                              \
  inline type name##_block(type* address, type value, KM_HERE) {                                 \
    const auto update = [=]([[maybe_unused]] type old) -> type { return expression; };           \
    return kernelmill::AtomicUpdate(address, update, KM_SITE, kernelmill::AtomicKind::kOfBlock); \
  }                                                                                              \
  inline type name##_system(type* address, type value, KM_HERE) {                                \
    return name(address, value, km_file, km_line);                                               \
  }
// Only the types that CUDA supports, so that an answer that needs another type does not compile
// here either.
#define KM_ORDER_ATOMICS(type)                          \
  KM_ATOMIC(atomicMin, type, value < old ? value : old) \
  KM_ATOMIC(atomicMax, type, old < value ? value : old) \
  KM_ATOMIC(atomicAnd, type, old& value)                \
  KM_ATOMIC(atomicOr, type, old | value)                \
  KM_ATOMIC(atomicXor, type, old ^ value)
KM_ORDER_ATOMICS(int)
KM_ORDER_ATOMICS(unsigned int)
KM_ORDER_ATOMICS(unsigned long long)
KM_ORDER_ATOMICS(long long)
#undef KM_ORDER_ATOMICS
// Sums wrap around.
KM_ATOMIC(atomicAdd, int, static_cast<int>(static_cast<unsigned>(old) + value))
KM_ATOMIC(atomicSub, int, static_cast<int>(static_cast<unsigned>(old) - value))
KM_ATOMIC(atomicAdd, unsigned int, old + value)
KM_ATOMIC(atomicSub, unsigned int, old - value)
KM_ATOMIC(atomicAdd, unsigned long long, old + value)
KM_ATOMIC(atomicAdd, float, kernelmill::AtomicSum(address, old, value))
KM_ATOMIC(atomicAdd, double, old + value)
KM_ATOMIC(atomicExch, int, value)
KM_ATOMIC(atomicExch, unsigned int, value)
KM_ATOMIC(atomicExch, unsigned long long, value)
KM_ATOMIC(atomicExch, float, value)
KM_ATOMIC(atomicInc, unsigned int, old >= value ? 0u : old + 1)
KM_ATOMIC(atomicDec, unsigned int, old == 0 || old > value ? value : old - 1)
// Whatever a candidate's flags leave of the types' operators.
#define KM_SUM(a, b) decltype(kernelmill::NumberOf(a))(a) + decltype(kernelmill::NumberOf(b))(b)
KM_ATOMIC(atomicAdd, __half, KM_SUM(old, value))
KM_ATOMIC(atomicAdd, __half2, KM_SUM(old, value))
KM_ATOMIC(atomicAdd, __nv_bfloat16, KM_SUM(old, value))
KM_ATOMIC(atomicAdd, __nv_bfloat162, KM_SUM(old, value))
#undef KM_SUM
#undef KM_ATOMIC

#define KM_CAS(type)                                                                       \
  __attribute__((always_inline)) inline type atomicCAS(type* address, type compare,        \
                                                       type value, KM_HERE) {              \
    const auto update = [=](type old) -> type { return old == compare ? value : old; };    \
    const bool constant = __builtin_constant_p(compare) && __builtin_constant_p(value);    \
    return kernelmill::AtomicUpdate(address, update, KM_SITE,                              \
                                    KM_KIND(type, constant && compare == value, update));  \
  }                                                                                        \
  inline type atomicCAS(volatile type* address, type compare, type value, KM_HERE) {       \
    return atomicCAS(const_cast<type*>(address), compare, value, km_file, km_line);        \
  }
KM_CAS(int)
KM_CAS(unsigned int)
KM_CAS(unsigned long long)
KM_CAS(unsigned short)
#undef KM_CAS
#undef KM_KIND
