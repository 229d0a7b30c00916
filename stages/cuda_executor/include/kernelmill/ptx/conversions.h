// The instructions of inline PTX that compare, choose, convert and move values (PTX ISA,
// "Comparison and Selection Instructions", "Data Movement and Conversion Instructions").
#pragma once

#include <kernelmill/ptx/floats.h>
#include <kernelmill/ptx/integers.h>

namespace kernelmill::ptx {

template <typename I, typename T>
KM_PTX_INLINE bool Compared(T a, T b) {
  const bool unordered = a != a || b != b;
  if constexpr (I::Has("num")) return !unordered;
  if constexpr (I::Has("nan")) return unordered;
  if constexpr (I::HasAny("equ neu ltu leu gtu geu")) {
    if (unordered) return true;
  }
  if constexpr (I::HasAny("eq equ")) return a == b;
  if constexpr (I::HasAny("ne neu")) return !unordered && a != b;
  if constexpr (I::HasAny("lt ltu lo")) return a < b;
  if constexpr (I::HasAny("le leu ls")) return a <= b;
  if constexpr (I::HasAny("gt gtu hi")) return a > b;
  return a >= b;
}

template <typename I, typename Frame>
KM_PTX_INLINE void RunComparison(Frame& frame) {
  using T = typename I::template Type<0>;
  static_assert(!kIsPair<T>, "inline PTX 'setp' of pairs of halves");
  T a = I::template In<T>(frame, 1), b = I::template In<T>(frame, 2);
  if constexpr (I::Has("ftz")) a = Flushed(a), b = Flushed(b);
  const bool result = Compared<I>(a, b);
  bool other = false;
  if constexpr (I::kGroups == 4) other = I::template In<bool>(frame, 3);
  const auto combined = [&](bool value) {
    if constexpr (I::Has("and")) return value && other;
    if constexpr (I::Has("or")) return value || other;
    if constexpr (I::Has("xor")) return value != other;
    return value;
  };
  I::Out(frame, 0, combined(result), 0);
  if constexpr (I::GroupAt(0).count == 2) I::Out(frame, 0, combined(!result), 1);
}

template <typename I, typename Frame>
KM_PTX_INLINE void RunSelection(Frame& frame) {
  using T = typename I::template Type<0>;
  I::Out(frame, 0, I::template In<T>(frame, I::template In<bool>(frame, 3) ? 1 : 2));
}

template <typename I, typename T>
KM_PTX_INLINE T WholeNumber(T value) {
  return InRoundingMode(ModeOf<I>(), [](T n) { return std::nearbyint(n); }, value);
}

// To 10 bits behind the point of the significand, ties away from zero.
KM_PTX_INLINE Tf32 ToTf32(float value, bool ties_away) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (value != value || std::isinf(value)) return {value};
  bits += ties_away ? 0x1000u : 0xfffu + (bits >> 13 & 1);
  return {std::bit_cast<float>(bits & ~0x1fffu)};
}

template <typename I, typename To, typename From>
KM_PTX_INLINE To Converted(From value) {
  if constexpr (std::is_same_v<To, Tf32>) {
    return ToTf32(value, I::Has("rna"));
  } else if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
    if constexpr (!I::Has("sat")) return static_cast<To>(value);
    const __int128 low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
    const __int128 wide = value;
    return static_cast<To>(wide < low ? low : wide > high ? high : wide);
  } else if constexpr (std::is_integral_v<To>) {
    using Number = std::conditional_t<kIsHalf<From>, float, From>;
    Number number = static_cast<Number>(value);
    if constexpr (I::Has("ftz")) number = Flushed(number);
    return Saturated<To>(WholeNumber<I>(number));
  } else if constexpr (kIsHalf<To>) {
    if constexpr (kIsHalf<From>) {
      return To::In(ModeOf<I>(), static_cast<float>(value));
    } else {
      return To::In(ModeOf<I>(), value);
    }
  } else if constexpr (kIsHalf<From>) {
    return static_cast<To>(static_cast<float>(value));
  } else if constexpr (I::HasAny("rni rzi rmi rpi")) {
    return static_cast<To>(WholeNumber<I>(value));
  } else {
    if constexpr (I::Has("ftz")) value = Flushed(value);
    return InRoundingMode(ModeOf<I>(), [](From n) { return static_cast<To>(n); }, value);
  }
}

template <typename I, typename Frame>
KM_PTX_INLINE void RunConversion(Frame& frame) {
  using To = typename I::template Type<0>;
  using From = typename I::template Type<1>;
  const auto finish = [](auto value) {
    if constexpr (kIsFloat<decltype(value)>) {
      if constexpr (I::Has("ftz")) value = Flushed(value);
      if constexpr (I::Has("sat")) value = Saturate(value);
      if constexpr (I::Has("relu")) value = NotNegative(value);
    }
    return value;
  };
  if constexpr (kIsPair<To>) {
    static_assert(std::is_same_v<From, float>, "inline PTX 'cvt' to a pair");
    using Half = decltype(To::x);
    // The first operand is the upper half.
    I::Out(frame, 0,
           To{finish(Converted<I, Half>(I::template In<float>(frame, 2))),
              finish(Converted<I, Half>(I::template In<float>(frame, 1)))});
  } else {
    I::Out(frame, 0, finish(Converted<I, To>(I::template In<From>(frame, 1))));
  }
}

template <typename I, typename Frame>
KM_PTX_INLINE void RunMove(Frame& frame) {
  using T = typename I::template Type<0>;
  constexpr Group kTo = I::GroupAt(0), kFrom = I::GroupAt(1);
  if constexpr (kFrom.form == GroupForm::kVector) {
    constexpr int kPart = kBits<T> / kFrom.count;
    std::uint64_t bits = 0;
    for (int i = 0; i < kFrom.count; ++i) {
      const std::uint64_t part = I::template In<std::uint64_t>(frame, 1, i);
      bits |= (part & (kPart == 64 ? ~0ull : (1ull << kPart) - 1)) << (i * kPart);
    }
    I::Out(frame, 0, FromBits<T>(bits));
  } else if constexpr (kTo.form == GroupForm::kVector) {
    constexpr int kPart = kBits<T> / kTo.count;
    const std::uint64_t bits = BitsOf(I::template In<T>(frame, 1));
    for (int i = 0; i < kTo.count; ++i) {
      I::Out(frame, 0, (bits >> (i * kPart)) & ((1ull << kPart) - 1), i);
    }
  } else {
    I::Out(frame, 0, I::template In<T>(frame, 1));
  }
}

}  // namespace kernelmill::ptx
