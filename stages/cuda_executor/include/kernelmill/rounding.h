// Computes in the rounding modes that device functions have in their names (_rn, _rz, _ru, _rd),
// and converts with a single rounding. Used by the headers of this folder that implement such
// functions.
#pragma once

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace kernelmill {

// The operands pass through volatile variables; otherwise the compiler could evaluate the
// operation, or fuse a product and a sum, in another mode.
template <typename Operation, typename T, typename... More>
auto InRoundingMode(int mode, Operation operation, T first, More... more) {
  if (mode != FE_TONEAREST) std::fesetround(mode);
  volatile T operand = first;
  volatile std::invoke_result_t<Operation, T, More...> result = operation(operand, more...);
  if (mode != FE_TONEAREST) std::fesetround(FE_TONEAREST);
  return static_cast<std::invoke_result_t<Operation, T, More...>>(result);
}

// Rounds to odd: towards zero, with the last bit set if bits are lost. Rounding the result again to
// a type with at least two bits less gives the same as rounding `number` once.
template <typename Wide>
float ToOddFloat(Wide number) {
  // Of integers the nearest float may be one that the type does not have.
  using Exact = std::conditional_t<std::is_integral_v<Wide>, __int128, Wide>;
  const float near = static_cast<float>(number);
  if constexpr (!std::is_integral_v<Wide>) {
    if (!std::isfinite(number)) return near;
  }
  const auto exact = static_cast<Exact>(number), back = static_cast<Exact>(near);
  if (back == exact) return near;
  std::uint32_t bits = __builtin_bit_cast(std::uint32_t, near);
  if ((back < 0 ? -back : back) > (exact < 0 ? -exact : exact)) --bits;
  return __builtin_bit_cast(float, bits | 1);
}

// Out of range, a device returns the nearest value. For NaN it returns 0, or only the sign bit set
// if either type has 64 bits (PTX ISA, cvt).
template <typename Integer, typename Float>
Integer Saturated(Float number) {
  using Bits = std::make_unsigned_t<Integer>;
  constexpr auto kTop = static_cast<Bits>(Bits{1} << (8 * sizeof(Integer) - 1));
  constexpr auto kLowest = static_cast<Integer>(std::is_signed_v<Integer> ? kTop : 0);
  constexpr auto kHighest = static_cast<Integer>(~static_cast<Bits>(kLowest));
  if (number != number) {
    return static_cast<Integer>(sizeof(Integer) == 8 || sizeof(Float) == 8 ? kTop : 0);
  }
  if (number <= static_cast<Float>(kLowest)) return kLowest;
  if (number >= static_cast<Float>(kHighest)) return kHighest;
  return static_cast<Integer>(number);
}

}  // namespace kernelmill
