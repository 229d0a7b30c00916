// The instructions of inline PTX that compute with integers and bits (PTX ISA, "Integer Arithmetic
// Instructions", "Logic and Shift Instructions").
#pragma once

#include <limits>

#include <kernelmill/integers.h>
#include <kernelmill/ptx/value.h>

namespace kernelmill::ptx {

template <typename T>
inline constexpr unsigned kBits = 8 * sizeof(T);
template <typename T>
using Wider = std::conditional_t<
    sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
    std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

template <typename T>
KM_PTX_INLINE T Clamped(Wider<T> value) {
  const Wider<T> low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  return static_cast<T>(value < low ? low : value > high ? high : value);
}

// Shifts by more bits than the number has give what as many single steps would.
template <typename T>
KM_PTX_INLINE T ShiftedLeft(T value, std::uint32_t by) {
  return by >= kBits<T> ? T{0} : static_cast<T>(static_cast<std::make_unsigned_t<T>>(value) << by);
}
template <typename T>
KM_PTX_INLINE T ShiftedRight(T value, std::uint32_t by) {
  if (by >= kBits<T>) return static_cast<T>(std::is_signed_v<T> && value < 0 ? -1 : 0);
  return static_cast<T>(value >> by);
}

// Bit i of the table is the result for the bits (i >> 2) & 1, (i >> 1) & 1 and i & 1 of a, b and c.
KM_PTX_INLINE std::uint32_t ByTable(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                    std::uint32_t table) {
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 8; ++i) {
    if ((table >> i & 1) == 0) continue;
    result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  }
  return result;
}

template <typename T>
KM_PTX_INLINE T ExtractedBits(T value, std::uint32_t position, std::uint32_t length) {
  position &= 0xff;
  length &= 0xff;
  using Bits = std::make_unsigned_t<T>;
  const Bits bits = static_cast<Bits>(value);
  const unsigned last = position + length - 1 < kBits<T> - 1 ? position + length - 1 : kBits<T> - 1;
  const bool sign = std::is_signed_v<T> && length > 0 && (bits >> last & 1) != 0;
  Bits result = sign ? ~Bits{0} : Bits{0};
  for (unsigned i = 0; i < length && i < kBits<T>; ++i) {
    const unsigned from = position + i;
    const bool bit = from < kBits<T> ? (bits >> from & 1) != 0 : sign;
    result = bit ? result | Bits{1} << i : result & ~(Bits{1} << i);
  }
  return static_cast<T>(result);
}
template <typename T>
KM_PTX_INLINE T WithBitsOf(T part, T whole, std::uint32_t position, std::uint32_t length) {
  position &= 0xff;
  length &= 0xff;
  for (unsigned i = 0; i < length && position + i < kBits<T>; ++i) {
    const T bit = T{1} << (position + i);
    whole = part >> i & 1 ? whole | bit : whole & ~bit;
  }
  return whole;
}

// Four bytes of the eight of b:a, each of which may be replaced by copies of its sign.
KM_PTX_INLINE std::uint32_t PermutedBytes(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t chosen = selector >> (4 * i) & 0xf;
    std::uint32_t byte = static_cast<std::uint32_t>(bytes >> (8 * (chosen & 7))) & 0xff;
    if (chosen & 8) byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

// The place of the highest bit that differs from the sign; all ones if there is none.
template <typename T>
KM_PTX_INLINE std::uint32_t HighestBit(T value, bool as_shift) {
  const auto bits = static_cast<std::make_unsigned_t<T>>(std::is_signed_v<T> && value < 0 ? ~value : value);
  for (unsigned i = kBits<T>; i-- > 0;) {
    if (bits >> i & 1) return as_shift ? kBits<T> - 1 - i : i;
  }
  return ~0u;
}

template <typename I, typename Frame>
KM_PTX_INLINE void RunIntegers(Frame& frame) {
  using T = typename I::template Type<0>;
  constexpr Text kOp = I::kOpcode;
  const auto in = [&](int group) { return I::template In<T>(frame, group); };
  const auto word = [&](int group) { return I::template In<std::uint32_t>(frame, group); };
  const auto out = [&](auto value) { I::Out(frame, 0, value); };
  if constexpr (kOp == "add") {
    out(I::Has("sat") ? Clamped<T>(Wider<T>{in(1)} + in(2)) : static_cast<T>(in(1) + in(2)));
  } else if constexpr (kOp == "sub") {
    out(I::Has("sat") ? Clamped<T>(Wider<T>{in(1)} - in(2)) : static_cast<T>(in(1) - in(2)));
  } else if constexpr (kOp == "mul" || kOp == "mad") {
    const Wider<T> product = static_cast<Wider<T>>(in(1)) * in(2);
    if constexpr (I::Has("wide")) {
      using Wide = std::conditional_t<
          sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
          std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
      Wide result = static_cast<Wide>(product);
      if constexpr (kOp == "mad") result += I::template In<Wide>(frame, 3);
      out(result);
    } else {
      T result = static_cast<T>(I::Has("hi") ? product >> kBits<T> : product);
      if constexpr (kOp == "mad") {
        result = I::Has("sat") ? Clamped<T>(Wider<T>{result} + in(3)) : static_cast<T>(result + in(3));
      }
      out(result);
    }
  } else if constexpr (kOp == "div") {
    out(static_cast<T>(in(1) / in(2)));
  } else if constexpr (kOp == "rem") {
    out(static_cast<T>(in(1) % in(2)));
  } else if constexpr (kOp == "min") {
    out(in(2) < in(1) ? in(2) : in(1));
  } else if constexpr (kOp == "max") {
    out(in(1) < in(2) ? in(2) : in(1));
  } else if constexpr (kOp == "abs") {
    out(static_cast<T>(in(1) < 0 ? -in(1) : in(1)));
  } else if constexpr (kOp == "neg") {
    out(static_cast<T>(-in(1)));
  } else if constexpr (kOp == "and") {
    out(static_cast<T>(in(1) & in(2)));
  } else if constexpr (kOp == "or") {
    out(static_cast<T>(in(1) | in(2)));
  } else if constexpr (kOp == "xor") {
    out(static_cast<T>(in(1) ^ in(2)));
  } else if constexpr (kOp == "not") {
    if constexpr (std::is_same_v<T, bool>) {
      out(!in(1));
    } else {
      out(static_cast<T>(~in(1)));
    }
  } else if constexpr (kOp == "shl") {
    out(ShiftedLeft(in(1), word(2)));
  } else if constexpr (kOp == "shr") {
    out(ShiftedRight(in(1), word(2)));
  } else if constexpr (kOp == "shf") {
    const std::uint32_t by = I::Has("wrap") ? word(3) & 31 : word(3) < 32 ? word(3) : 32;
    const std::uint64_t both = std::uint64_t{word(2)} << 32 | word(1);
    out(static_cast<std::uint32_t>(I::Has("l") ? both << by >> 32 : both >> by));
  } else if constexpr (kOp == "lop3") {
    out(ByTable(word(1), word(2), word(3), word(4)));
  } else if constexpr (kOp == "bfe") {
    out(ExtractedBits(in(1), word(2), word(3)));
  } else if constexpr (kOp == "bfi") {
    out(WithBitsOf(in(1), in(2), word(3), word(4)));
  } else if constexpr (kOp == "prmt") {
    out(PermutedBytes(word(1), word(2), word(3)));
  } else if constexpr (kOp == "brev") {
    out(static_cast<T>(sizeof(T) == 8 ? __builtin_bitreverse64(in(1)) : __builtin_bitreverse32(word(1))));
  } else if constexpr (kOp == "clz") {
    out(static_cast<std::uint32_t>(sizeof(T) == 8 ? __clzll(static_cast<long long>(in(1)))
                                                  : __clz(static_cast<int>(word(1)))));
  } else if constexpr (kOp == "popc") {
    out(static_cast<std::uint32_t>(__builtin_popcountll(in(1))));
  } else if constexpr (kOp == "bfind") {
    out(HighestBit(in(1), I::Has("shiftamt")));
  } else {
    static_assert(kOp == "dp4a");
    using Second = typename I::template Type<1>;
    std::int64_t sum = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const auto byte = [i](auto all) {
        using All = decltype(all);
        const std::uint8_t bits = static_cast<std::uint8_t>(static_cast<std::uint32_t>(all) >> (8 * i));
        return std::int64_t{std::is_signed_v<All> ? static_cast<std::int8_t>(bits) : bits};
      };
      sum += byte(in(1)) * byte(I::template In<Second>(frame, 2));
    }
    out(static_cast<std::uint32_t>(sum + word(3)));
  }
}

}  // namespace kernelmill::ptx
