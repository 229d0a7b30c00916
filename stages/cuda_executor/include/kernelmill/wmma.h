// Implements nvcuda::wmma for kernels that run on the executor. A candidate gets it where it
// includes mma.h.
//
// Which elements of a matrix a lane holds is not specified (PTX ISA, "WMMA Instructions"), so here
// they are neighbours. Only an accumulator of 16 x 16 has them where devices from sm_80 on have
// them, as two results of mma.m16n8k16 side by side, because answers make use of it. A fragment has
// as many elements as NVIDIA's, whose halves are held twice or more often. Products are summed as those of inline PTX are (ptx/matrices.h).
#pragma once

#include <kernelmill/half_functions.h>
#include <kernelmill/ptx/conversions.h>
#include <kernelmill/ptx/matrices.h>

namespace nvcuda::wmma {

enum layout_t { mem_row_major, mem_col_major };
struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
namespace precision {
struct tf32 {};
}  // namespace precision

namespace detail {

template <typename T>
struct StorageOf {
  using Type = T;
};
template <>
struct StorageOf<precision::tf32> {
  using Type = float;
};

// The type with the arithmetic of an element's, and an element as that.
template <typename T>
struct ArithmeticOf {
  using Type = T;
};
template <typename Format>
struct ArithmeticOf<kernelmill::HalfNumber<Format>> {
  using Type = kernelmill::Rounded<Format>;
};
template <typename T>
typename ArithmeticOf<T>::Type Numeric(T value) {
  return value;
}

template <typename T, typename... Others>
inline constexpr bool kIsOneOf = (std::is_same_v<T, Others> || ...);

template <typename T>
constexpr bool HasShape(int m, int n, int k, bool sums) {
  const bool wide = k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
  const bool tf32 = m == 16 && n == 16 && k == 8, small = m == 8 && n == 8 && k == 4;
  if (std::is_same_v<T, double>) return small;
  if (sums) return (wide && kIsOneOf<T, __half, float, int>) || (tf32 && std::is_same_v<T, float>);
  if (std::is_same_v<T, precision::tf32>) return tf32;
  return wide && kIsOneOf<T, __half, __nv_bfloat16, signed char, unsigned char, char>;
}

template <typename Use, int kM, int kN, int kK>
struct Shape {
  static constexpr bool kSums = std::is_same_v<Use, accumulator>;
  static constexpr int kRows = std::is_same_v<Use, matrix_b> ? kK : kM;
  static constexpr int kColumns = std::is_same_v<Use, matrix_a> ? kK : kN;
  static constexpr int kTotal = kRows * kColumns;
  template <typename T>
  static constexpr int kElements = std::is_same_v<T, __half> && !kSums
                                       ? 16
                                       : kTotal / kernelmill::ptx::kLanes;
};

}  // namespace detail

template <typename Use, int kM, int kN, int kK, typename T, typename Layout = void>
class fragment;
template <typename Use, int kM, int kN, int kK, typename T, typename Layout>
  requires(detail::HasShape<T>(kM, kN, kK, std::is_same_v<Use, accumulator>) &&
           std::is_same_v<Use, accumulator> == std::is_void_v<Layout>)
class fragment<Use, kM, kN, kK, T, Layout> {
 public:
  using Shape = detail::Shape<Use, kM, kN, kK>;
  using element_type = T;
  using storage_element_type = typename detail::StorageOf<T>::Type;
  enum {
    num_elements = Shape::template kElements<T>,
    num_storage_elements = Shape::template kElements<T>,
  };
  storage_element_type x[num_elements];

  // Lanes that hold the same elements are `kGroup` apart; the element that is number `i` of a lane.
  static constexpr int kGroup = Shape::kTotal / num_elements;
  static constexpr bool kAsDevice = Shape::kSums && kM == 16 && kN == 16;
  static int Index(int lane, int i) {
    if constexpr (kAsDevice) {
      const int row = lane / 4 + (i & 2 ? 8 : 0);
      return row * kN + lane % 4 * 2 + (i & 1) + (i & 4 ? 8 : 0);
    }
    return lane % kGroup * num_elements + i;
  }
  // Of the rows that a lane has elements of, at most two, the one that an element is in.
  static int RowOfLane(int i) { return kAsDevice ? i >> 1 & 1 : 0; }
};

namespace detail {

// All lanes take part, but nothing orders their accesses.
inline int Gather(kernelmill::Site site) {
  if (warpSize != kernelmill::ptx::kLanes) {
    kernelmill::Trap("unsupported", "nvcuda::wmma in a warp that has not 32 threads", site);
  }
  return kernelmill::ExchangeInWarp(kernelmill::WarpOperation::kMatrix, ~kernelmill::LaneMask{0},
                                    nullptr, 0, site)
      .lane;
}

// Calls visit(element number, offset) for the lane's elements of a matrix at `base`. A row, or a
// column if they are contiguous, must be aligned to `alignment` bytes, or to its own size if that is
// less.
template <typename Fragment, typename T, typename Visit>
__attribute__((always_inline)) inline void VisitElements(const T* base, unsigned stride, bool by_rows,
                                                         std::size_t alignment, Visit visit,
                                                         kernelmill::Site site) {
  constexpr int kColumns = Fragment::Shape::kColumns;
  const std::size_t size =
      sizeof(T) * static_cast<std::size_t>(by_rows ? kColumns : Fragment::Shape::kRows);
  if (size < alignment) alignment = size;
  const int lane = Gather(site);
  for (int i = 0; i < Fragment::num_elements; ++i) {
    const int index = Fragment::Index(lane, i);
    const std::size_t row = static_cast<std::size_t>(index / kColumns);
    const std::size_t column = static_cast<std::size_t>(index % kColumns);
    const std::size_t line = (by_rows ? row : column) * stride;
    if (reinterpret_cast<std::uintptr_t>(base + line) % alignment != 0) {
      kernelmill::ReportMisaligned(base + line, alignment, site);
    }
    visit(i, line + (by_rows ? column : row));
  }
}

}  // namespace detail

template <typename Use, int kM, int kN, int kK, typename T, typename Layout>
__attribute__((always_inline)) inline void load_matrix_sync(
    fragment<Use, kM, kN, kK, T, Layout>& into,
    const typename detail::StorageOf<T>::Type* from, unsigned stride, KM_HERE) {
  static_assert(!std::is_same_v<Use, accumulator>, "an accumulator is loaded with its layout");
  detail::VisitElements<fragment<Use, kM, kN, kK, T, Layout>>(
      from, stride, std::is_same_v<Layout, row_major>, 16,
      [&](int i, std::size_t at) { into.x[i] = from[at]; }, KM_SITE);
}
template <int kM, int kN, int kK, typename T>
__attribute__((always_inline)) inline void load_matrix_sync(
    fragment<accumulator, kM, kN, kK, T>& into, const T* from, unsigned stride, layout_t layout,
    KM_HERE) {
  detail::VisitElements<fragment<accumulator, kM, kN, kK, T>>(
      from, stride, layout == mem_row_major, 2 * sizeof(T),
      [&](int i, std::size_t at) { into.x[i] = from[at]; }, KM_SITE);
}
template <int kM, int kN, int kK, typename T>
__attribute__((always_inline)) inline void store_matrix_sync(
    T* to, const fragment<accumulator, kM, kN, kK, T>& from, unsigned stride, layout_t layout,
    KM_HERE) {
  detail::VisitElements<fragment<accumulator, kM, kN, kK, T>>(
      to, stride, layout == mem_row_major, 2 * sizeof(T),
      [&](int i, std::size_t at) { to[at] = from.x[i]; }, KM_SITE);
}

template <typename Use, int kM, int kN, int kK, typename T, typename Layout>
inline void fill_fragment(fragment<Use, kM, kN, kK, T, Layout>& into,
                          const typename detail::StorageOf<T>::Type& value) {
  for (auto& element : into.x) element = value;
}

inline float __float_to_tf32(float value) { return kernelmill::ptx::ToTf32(value, true).value; }

namespace detail {

// The values of a fragment of a whole warp.
template <typename Fragment>
class Gathered {
 public:
  Gathered(const Fragment& own, kernelmill::Site site)
      : exchange_(kernelmill::ExchangeInWarp(kernelmill::WarpOperation::kMatrix,
                                             ~kernelmill::LaneMask{0}, own.x, sizeof own.x, site)) {}
  auto At(int row, int column) const {
    constexpr int kEach = Fragment::num_elements;
    using T = typename Fragment::storage_element_type;
    const int index = row * Fragment::Shape::kColumns + column;
    T value;
    std::memcpy(static_cast<void*>(&value),
                exchange_.values +
                    static_cast<std::size_t>(index / kEach) * kernelmill::kMaxExchange +
                    static_cast<std::size_t>(index % kEach) * sizeof(T),
                sizeof(T));
    if constexpr (std::is_same_v<typename Fragment::element_type, precision::tf32>) {
      return kernelmill::ptx::FactorOf(kernelmill::ptx::Tf32{value});
    } else {
      return kernelmill::ptx::FactorOf(Numeric(value));
    }
  }
  int lane() const { return exchange_.lane; }

 private:
  kernelmill::WarpExchange exchange_;
};

}  // namespace detail

// d = a * b + c
template <int kM, int kN, int kK, typename T, typename LayoutA, typename LayoutB, typename D,
          typename C>
void mma_sync(fragment<accumulator, kM, kN, kK, D>& d,
              const fragment<matrix_a, kM, kN, kK, T, LayoutA>& a,
              const fragment<matrix_b, kM, kN, kK, T, LayoutB>& b,
              const fragment<accumulator, kM, kN, kK, C>& c, bool saturates = false, KM_HERE) {
  static_assert(std::is_integral_v<D> == std::is_integral_v<C>);
  using Sum = kernelmill::ptx::SumOf<D>;
  using Result = fragment<accumulator, kM, kN, kK, D>;
  Sum factors[2][kK];
  {
    const detail::Gathered gathered(a, KM_SITE);
    for (int i = 0; i < (Result::kAsDevice ? 4 : 1); i += 2) {
      const int row = Result::Index(gathered.lane(), i) / kN;
      for (int k = 0; k < kK; ++k) factors[Result::RowOfLane(i)][k] = gathered.At(row, k);
    }
  }
  const detail::Gathered gathered(b, KM_SITE);
  for (int i = 0; i < Result::num_elements; ++i) {
    const int column = Result::Index(gathered.lane(), i) % kN;
    const Sum* const own = factors[Result::RowOfLane(i)];
    Sum sum = static_cast<Sum>(detail::Numeric(c.x[i]));
    for (int k = 0; k < kK; ++k) {
      if constexpr (std::is_integral_v<Sum>) {
        sum += own[k] * gathered.At(k, column);
      } else {
        sum = std::fma(own[k], Sum(gathered.At(k, column)), sum);
      }
    }
    if constexpr (std::is_integral_v<D>) {
      d.x[i] = saturates ? kernelmill::ptx::Clamped<D>(sum) : static_cast<D>(sum);
    } else {
      d.x[i] = typename detail::ArithmeticOf<D>::Type(sum);
    }
  }
}

}  // namespace nvcuda::wmma
