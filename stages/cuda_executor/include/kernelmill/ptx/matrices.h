// The matrix instructions of inline PTX: ldmatrix and mma, with the distribution of
// elements over the lanes that the PTX ISA gives them ("Warp-level Matrix Instructions").
//
// A product sums in float, in the order of the inner dimension, and rounds to the type of the result
// at the end. The PTX ISA leaves the order and the rounding of the sums to the device.
#pragma once

#include <kernelmill/ptx/memory.h>

namespace kernelmill::ptx {

inline constexpr int kLanes = 32, kRowsOfTile = 8, kRowBytes = 16;

// The pointers to the rows of the 8x8 tiles, of which lane i of the warp has given the i-th.
template <typename I, typename Frame>
KM_PTX_INLINE WarpExchange RowsOfTiles(const Frame& frame, int group, int tiles) {
  const std::uint64_t address = I::Address(frame, group);
  const auto lane = static_cast<int>(ThreadRank() % static_cast<unsigned>(warpSize));
  void* row = nullptr;
  if (lane < tiles * kRowsOfTile) {
    row = IsOfShared<I>() ? SharedPointer(address, kRowBytes, frame.site)
                          : reinterpret_cast<void*>(address);
    if (reinterpret_cast<std::uintptr_t>(row) % kRowBytes != 0) {
      ReportMisaligned(row, kRowBytes, frame.site);
    }
  }
  return ExchangeInWarp(WarpOperation::kMatrix, ~LaneMask{0}, &row, sizeof row, frame.site);
}
// Two neighbouring elements of a row, or of a column if the tile is transposed.
template <bool kTransposed, typename Visit>
KM_PTX_INLINE void VisitTile(const WarpExchange& rows, int tile, Visit visit) {
  const int group = rows.lane / 4, first = rows.lane % 4 * 2;
  const auto row = [&](int number) {
    return rows.Value<std::uint16_t*>(tile * kRowsOfTile + number);
  };
  if constexpr (kTransposed) {
    visit(row(first) + group, row(first + 1) + group);
  } else {
    visit(row(group) + first, row(group) + first + 1);
  }
}

template <typename I>
constexpr int TilesOf() {
  return I::Has("x4") ? 4 : I::Has("x2") ? 2 : 1;
}
template <typename I, typename Frame>
KM_PTX_INLINE void RunLoadMatrix(Frame& frame) {
  const WarpExchange rows = RowsOfTiles<I>(frame, 1, TilesOf<I>());
  std::uint32_t result[TilesOf<I>()];
  for (int tile = 0; tile < TilesOf<I>(); ++tile) {
    VisitTile<I::Has("trans")>(rows, tile, [&](const std::uint16_t* low, const std::uint16_t* high) {
      result[tile] = *low | static_cast<std::uint32_t>(*high) << 16;
    });
  }
  for (int tile = 0; tile < TilesOf<I>(); ++tile) I::Out(frame, 0, result[tile], tile);
}
// What a product sums in.
template <typename T>
using SumOf = std::conditional_t<std::is_same_v<T, double>, double,
                                 std::conditional_t<std::is_integral_v<T>, std::int64_t, float>>;
template <typename T>
KM_PTX_INLINE auto FactorOf(T value) {
  if constexpr (std::is_same_v<T, Tf32>) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value.value) & ~0x1fffu);
  } else if constexpr (std::is_integral_v<T>) {
    return std::int64_t{value};
  } else if constexpr (std::is_same_v<T, double>) {
    return value;
  } else {
    return static_cast<float>(value);
  }
}

struct MatrixShape {
  int m, n, k;
};
constexpr MatrixShape ShapeOf(const Instruction& instruction) {
  for (int i = 1; i < instruction.part_count; ++i) {
    Scanner scanner(instruction.parts[i]);
    if (!scanner.Take('m') || !scanner.SeesDigit()) continue;
    const int m = static_cast<int>(scanner.TakeInteger());
    scanner.Take('n');
    const int n = static_cast<int>(scanner.TakeInteger());
    scanner.Take('k');
    return {m, n, static_cast<int>(scanner.TakeInteger())};
  }
  return {};
}

template <typename I, typename Frame>
KM_PTX_INLINE void RunMatrixProduct(Frame& frame) {
  constexpr MatrixShape kShape = ShapeOf(I::kInstruction);
  using Result = typename I::template Type<0>;
  using A = typename I::template Type<1>;
  using B = typename I::template Type<2>;
  using Sum = SumOf<Result>;
  constexpr int kRegister = sizeof(A) == 8 ? 8 : 4;  // Bytes.
  constexpr int kPacked = kRegister / static_cast<int>(sizeof(A));
  constexpr int kHalves = kShape.m / 8;  // Of the rows.
  constexpr int kA = I::GroupAt(1).count, kB = I::GroupAt(2).count;
  constexpr int kC = I::GroupAt(3).count;
  constexpr int kResults = sizeof(Result) == 2 ? 2 * kC : kC;
  static_assert(sizeof(A) == sizeof(B) && kShape.n == 8 &&
                    kA * kPacked * kLanes == kShape.m * kShape.k &&
                    kB * kPacked * kLanes == kShape.n * kShape.k &&
                    kResults * kLanes == kShape.m * kShape.n,
                "the executor does not run this shape of inline PTX 'mma'");

  using Register = std::conditional_t<kRegister == 8, std::uint64_t, std::uint32_t>;
  struct {
    Register a[kA], b[kB];
  } own;
  for (int i = 0; i < kA; ++i) own.a[i] = I::template In<Register>(frame, 1, i);
  for (int i = 0; i < kB; ++i) own.b[i] = I::template In<Register>(frame, 2, i);
  static_assert(sizeof own <= kMaxExchange);
  const WarpExchange exchange =
      ExchangeInWarp(WarpOperation::kMatrix, ~LaneMask{0}, &own, sizeof own, frame.site);
  const auto element = [&]<typename T>(T, int lane, int number, int place) {
    T value;
    std::memcpy(static_cast<void*>(&value),
                exchange.values + static_cast<std::size_t>(lane) * kMaxExchange +
                    number * kRegister + place * static_cast<int>(sizeof(T)),
                sizeof(T));
    return FactorOf(value);
  };

  const int group = exchange.lane / 4, member = exchange.lane % 4;
  Result results[kResults];
  for (int i = 0; i < kResults; ++i) {
    const int column = 2 * member + (i & 1), half = i >> 1;
    const int packed = sizeof(Result) == 2 ? i / 2 : i;
    const std::uint64_t c = I::template In<std::uint64_t>(frame, 3, packed);
    Sum sum = static_cast<Sum>(FromBits<Result>(sizeof(Result) == 2 ? c >> (16 * (i & 1)) : c));
    for (int k = 0; k < kShape.k; ++k) {
      const int lane = k % (4 * kPacked) / kPacked, block = k / (4 * kPacked);
      const Sum a = element(A{}, 4 * group + lane, kHalves * block + half, k % kPacked);
      const Sum b = element(B{}, 4 * column + lane, kA + block, k % kPacked);
      if constexpr (std::is_integral_v<Sum>) {
        sum += a * b;
      } else {
        sum = std::fma(a, b, sum);
      }
    }
    if constexpr (std::is_integral_v<Result>) {
      results[i] = I::Has("satfinite") ? Clamped<Result>(sum) : static_cast<Result>(sum);
    } else {
      results[i] = Result(sum);
    }
  }
  for (int i = 0; i < kC; ++i) {
    if constexpr (sizeof(Result) == 2) {
      I::Out(frame, 0,
             static_cast<std::uint32_t>(BitsOf(results[2 * i]) | BitsOf(results[2 * i + 1]) << 16),
             i);
    } else {
      I::Out(frame, 0, results[i], i);
    }
  }
}

}  // namespace kernelmill::ptx
