// The instructions of inline PTX that compute with numbers (PTX ISA, "Floating Point Instructions"
// and "Half Precision Floating-Point Instructions"). The approximations are those of
// fast_functions.h.
#pragma once

#include <cmath>
#include <limits>

#include <kernelmill/device_math.h>
#include <kernelmill/ptx/value.h>
#include <kernelmill/rounding.h>

namespace kernelmill::ptx {

// The rounding mode that one of an instruction's modifiers names.
template <typename I>
constexpr int ModeOf() {
  return I::Has("rz") || I::Has("rzi")   ? FE_TOWARDZERO
         : I::Has("rm") || I::Has("rmi") ? FE_DOWNWARD
         : I::Has("rp") || I::Has("rpi") ? FE_UPWARD
                                         : FE_TONEAREST;
}
// With an explicit mode, a device's compiler fuses no product and sum.
template <typename I>
constexpr bool IsExplicit() {
  return I::HasAny("rn rz rm rp");
}

template <typename T>
inline constexpr bool kIsPair =
    std::is_same_v<T, RoundedPair<HalfFormat>> || std::is_same_v<T, RoundedPair<Bfloat16Format>>;
template <typename T>
inline constexpr bool kIsHalf =
    std::is_same_v<T, Rounded<HalfFormat>> || std::is_same_v<T, Rounded<Bfloat16Format>>;
template <typename T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T> || kIsPair<T> || kIsHalf<T>;

template <typename T>
KM_PTX_INLINE T Flushed(T value) {
  if constexpr (std::is_same_v<T, float>) {
    return std::fabs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0f, value) : value;
  } else {
    return value;
  }
}
// To [0, 1]; NaN becomes 0.
template <typename T>
KM_PTX_INLINE T Saturate(T value) {
  if constexpr (kIsPair<T>) {
    return {Saturate(value.x), Saturate(value.y)};
  } else {
    return value > T(0.0f) ? (value < T(1.0f) ? value : T(1.0f)) : T(0.0f);
  }
}
template <typename T>
KM_PTX_INLINE T NotNegative(T value) {
  if constexpr (kIsPair<T>) {
    return {NotNegative(value.x), NotNegative(value.y)};
  } else {
    return value != value || value > T(0.0f) ? value : T(0.0f);
  }
}

// -0 is less than 0. NaN is returned only if both are NaN, or with `keeps_nan` if either is.
template <bool kLess, bool kKeepsNan, typename T>
KM_PTX_INLINE T Extreme(T a, T b) {
  if constexpr (kIsPair<T>) {
    return {Extreme<kLess, kKeepsNan>(a.x, b.x), Extreme<kLess, kKeepsNan>(a.y, b.y)};
  } else {
    if (a != a) return kKeepsNan ? a : b;
    if (b != b) return kKeepsNan ? b : a;
    if (a == b) return std::signbit(static_cast<double>(a)) == kLess ? a : b;
    return (a < b) == kLess ? a : b;
  }
}

template <typename T, typename Operation, typename... More>
KM_PTX_INLINE T EachOf(Operation operation, T first, More... more) {
  if constexpr (kIsPair<T>) {
    return {operation(first.x, more.x...), operation(first.y, more.y...)};
  } else {
    return operation(first, more...);
  }
}

// A result rounded once, of numbers that a wider type holds.
template <typename T>
KM_PTX_INLINE T FusedProduct(T a, T b, T c) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fma(a, b, c);
  } else {
    return T(static_cast<double>(float(a)) * float(b) + float(c));
  }
}

template <typename I, typename T>
KM_PTX_INLINE T Function(T x) {
  constexpr Text kOp = I::kOpcode;
  if constexpr (kIsHalf<T>) {
    // The approximations of single precision are good to the bits of a half.
    return T(Function<I>(static_cast<float>(x)));
  } else if constexpr (kOp == "ex2") {
    return ApproximateExp2(x);
  } else if constexpr (kOp == "lg2") {
    return ApproximateLog2(x);
  } else if constexpr (kOp == "sin") {
    return __sinf(x);
  } else if constexpr (kOp == "cos") {
    return __cosf(x);
  } else if constexpr (kOp == "tanh") {
    return __tanhf(x);
  } else if constexpr (kOp == "rcp") {
    return InRoundingMode(ModeOf<I>(), [](T n) { return T{1} / n; }, x);
  } else if constexpr (kOp == "sqrt") {
    return InRoundingMode(ModeOf<I>(), [](T n) { return std::sqrt(n); }, x);
  } else {
    static_assert(kOp == "rsqrt");
    if constexpr (std::is_same_v<T, float>) return ApproximateRsqrt(x);
    return T{1} / std::sqrt(x);
  }
}

template <typename I, typename T, typename Operation, typename... More>
KM_PTX_INLINE T Rounding(Operation operation, T first, More... more) {
  if constexpr (IsExplicit<I>() && std::is_floating_point_v<T>) {
    return InRoundingMode(ModeOf<I>(), operation, first, more...);
  } else {
    return EachOf(operation, first, more...);
  }
}

template <typename I, typename Frame>
KM_PTX_INLINE void RunFloats(Frame& frame) {
  using T = typename I::template Type<0>;
  constexpr Text kOp = I::kOpcode;
  const auto in = [&](int group) {
    const T value = I::template In<T>(frame, group);
    return I::Has("ftz") ? Flushed(value) : value;
  };
  const auto out = [&](T value) {
    if (I::Has("ftz")) value = Flushed(value);
    if constexpr (I::Has("sat")) value = Saturate(value);
    if constexpr (I::Has("relu")) value = NotNegative(value);
    I::Out(frame, 0, value);
  };
  if constexpr (kOp == "add") {
    out(Rounding<I>([](auto a, auto b) { return a + b; }, in(1), in(2)));
  } else if constexpr (kOp == "sub") {
    out(Rounding<I>([](auto a, auto b) { return a - b; }, in(1), in(2)));
  } else if constexpr (kOp == "mul") {
    out(Rounding<I>([](auto a, auto b) { return a * b; }, in(1), in(2)));
  } else if constexpr (kOp == "fma" || kOp == "mad") {
    const auto fused = [](auto a, auto b, auto c) { return FusedProduct(a, b, c); };
    if constexpr (ModeOf<I>() == FE_TONEAREST) {
      out(EachOf(fused, in(1), in(2), in(3)));
    } else {
      out(InRoundingMode(ModeOf<I>(), fused, in(1), in(2), in(3)));
    }
  } else if constexpr (kOp == "div") {
    if constexpr (I::HasAny("approx full")) {
      out(__fdividef(in(1), in(2)));
    } else {
      out(Rounding<I>([](auto a, auto b) { return a / b; }, in(1), in(2)));
    }
  } else if constexpr (kOp == "min") {
    out(Extreme<true, I::Has("NaN")>(in(1), in(2)));
  } else if constexpr (kOp == "max") {
    out(Extreme<false, I::Has("NaN")>(in(1), in(2)));
  } else if constexpr (kOp == "neg") {
    out(-in(1));
  } else if constexpr (kOp == "abs") {
    out(EachOf([](auto a) { return decltype(a)(std::fabs(a)); }, in(1)));
  } else if constexpr (kOp == "copysign") {
    // The sign is that of the first operand.
    out(std::copysign(in(2), in(1)));
  } else {
    out(EachOf([](auto a) { return Function<I>(a); }, in(1)));
  }
}

}  // namespace kernelmill::ptx
