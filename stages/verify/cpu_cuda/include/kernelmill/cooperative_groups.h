// cooperative_groups of a block, of tiles and of coalesced threads.
#pragma once

#include <kernelmill/warp.h>

namespace cooperative_groups {

class thread_block {
 public:
  static void sync(KM_HERE) { kernelmill::BlockBarrier(false, KM_SITE); }
  static void barrier_arrive() {}
  static unsigned thread_rank() { return kernelmill::ThreadRank(); }
  static unsigned size() { return kernelmill::ThreadCount(); }
  static unsigned num_threads() { return kernelmill::ThreadCount(); }
  static dim3 group_index() { return dim3(blockIdx); }
  static dim3 thread_index() { return dim3(threadIdx); }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};
inline thread_block this_thread_block() { return {}; }

// A part of a warp: the lanes of `mask`, of which the calling one is number `rank`.
class WarpPart {
 public:
  WarpPart(kernelmill::LaneMask mask, int rank, int size) : mask_(mask), rank_(rank), size_(size) {}

  void sync(KM_HERE) const {
    kernelmill::ExchangeInWarp(kernelmill::WarpOperation::kSync, mask_, nullptr, 0, KM_SITE);
  }
  unsigned thread_rank() const { return static_cast<unsigned>(rank_); }

  template <typename T>
  T shfl(T value, int rank, KM_HERE) const {
    return From(value, rank % size_, KM_SITE);
  }
  template <typename T>
  T shfl_up(T value, unsigned delta, KM_HERE) const {
    const int rank = rank_ - static_cast<int>(delta);
    return From(value, rank < 0 ? rank_ : rank, KM_SITE);
  }
  template <typename T>
  T shfl_down(T value, unsigned delta, KM_HERE) const {
    const int rank = rank_ + static_cast<int>(delta);
    return From(value, rank >= size_ ? rank_ : rank, KM_SITE);
  }
  template <typename T>
  T shfl_xor(T value, unsigned lanes, KM_HERE) const {
    const int rank = rank_ ^ static_cast<int>(lanes);
    return From(value, rank >= size_ ? rank_ : rank, KM_SITE);
  }
  int any(int predicate, KM_HERE) const {
    return kernelmill::Vote(mask_, predicate != 0, nullptr, KM_SITE) != 0;
  }
  int all(int predicate, KM_HERE) const {
    kernelmill::LaneMask lanes;
    return kernelmill::Vote(mask_, predicate != 0, &lanes, KM_SITE) == lanes;
  }
  unsigned ballot(int predicate, KM_HERE) const {
    const kernelmill::LaneMask votes = kernelmill::Vote(mask_, predicate != 0, nullptr, KM_SITE);
    unsigned result = 0;
    for (int rank = 0; rank < size_ && rank < 32; ++rank) {
      if ((votes >> LaneOf(rank)) & 1) result |= 1u << rank;
    }
    return result;
  }
  template <typename T, typename Combine>
  T Reduce(T value, Combine combine, kernelmill::Site site) const {
    return kernelmill::ReduceInWarp(mask_, value, combine, site);
  }
  // Over the ranks up to and, when `inclusive`, with the calling one; T() for none.
  template <typename T, typename Combine>
  T Scan(T value, Combine combine, bool inclusive, kernelmill::Site site) const {
    const kernelmill::WarpExchange exchange = kernelmill::ExchangeInWarp(kernelmill::WarpOperation::kReduce, mask_,
                                                     &value, sizeof(T), site);
    T result{};
    for (int rank = 0; rank < rank_ + (inclusive ? 1 : 0); ++rank) {
      const int lane = LaneOf(rank);
      if (!exchange.Has(lane)) continue;
      const T other = exchange.Value<T>(lane);
      result = rank == 0 ? other : combine(result, other);
    }
    return result;
  }

 protected:
  int LaneOf(int rank) const {
    for (int lane = 0; lane < kernelmill::kMaxWarp; ++lane) {
      if (((mask_ >> lane) & 1) && rank-- == 0) return lane;
    }
    return -1;
  }
  template <typename T>
  T From(T value, int rank, kernelmill::Site site) const {
    const kernelmill::WarpExchange exchange = kernelmill::ExchangeInWarp(kernelmill::WarpOperation::kShuffle, mask_,
                                                     &value, sizeof(T), site);
    const int source = LaneOf(rank);
    if (!exchange.Has(source)) {
      kernelmill::NoteUndefinedShuffle(site);
      std::memset(&value, 0xFF, sizeof(T));
      return value;
    }
    return exchange.Value<T>(source);
  }

  kernelmill::LaneMask mask_;
  int rank_;
  int size_;
};

template <unsigned kSize, typename Parent = void>
class thread_block_tile : public WarpPart {
 public:
  static_assert(kSize >= 1 && kSize <= kernelmill::kMaxWarp && (kSize & (kSize - 1)) == 0);
  thread_block_tile()
      : WarpPart(MaskOfTile(), static_cast<int>(kernelmill::ThreadRank() % kSize), kSize) {}
  template <typename Other>
  thread_block_tile(const thread_block_tile<kSize, Other>& other) : WarpPart(other) {}
  static constexpr unsigned size() { return kSize; }
  static constexpr unsigned num_threads() { return kSize; }
  static unsigned meta_group_rank() { return kernelmill::ThreadRank() / kSize; }
  static unsigned meta_group_size() { return (kernelmill::ThreadCount() + kSize - 1) / kSize; }

 private:
  static kernelmill::LaneMask MaskOfTile() {
    if (kSize >= static_cast<unsigned>(warpSize)) return ~kernelmill::LaneMask{0};
    const unsigned lane = kernelmill::ThreadRank() % static_cast<unsigned>(warpSize);
    return ((kernelmill::LaneMask{1} << kSize) - 1) << (lane / kSize * kSize);
  }
};
template <unsigned kSize, typename Parent>
thread_block_tile<kSize, Parent> tiled_partition(const Parent&) {
  return {};
}

// The threads of a warp that have not exited, as the executor knows no others.
class coalesced_group : public WarpPart {
 public:
  coalesced_group() : coalesced_group(kernelmill::LiveLanes()) {}
  unsigned size() const { return static_cast<unsigned>(size_); }
  unsigned num_threads() const { return static_cast<unsigned>(size_); }

 private:
  static int Count(kernelmill::LaneMask mask) {
    return __builtin_popcountll(static_cast<unsigned long long>(mask)) +
           __builtin_popcountll(static_cast<unsigned long long>(mask >> 64));
  }
  explicit coalesced_group(kernelmill::LaneMask mask)
      : WarpPart(mask,
                 Count(mask & ((kernelmill::LaneMask{1}
                                << (kernelmill::ThreadRank() % static_cast<unsigned>(warpSize))) -
                               1)),
                 Count(mask)) {}
};
inline coalesced_group coalesced_threads() { return {}; }

template <typename T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <typename T>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T>
struct bit_and {
  T operator()(T a, T b) const { return a & b; }
};
template <typename T>
struct bit_or {
  T operator()(T a, T b) const { return a | b; }
};
template <typename T>
struct bit_xor {
  T operator()(T a, T b) const { return a ^ b; }
};

template <typename Group, typename T, typename Combine>
T reduce(const Group& group, T value, Combine combine, KM_HERE) {
  return group.Reduce(value, combine, KM_SITE);
}
template <typename Group, typename T, typename Combine = plus<T>>
T inclusive_scan(const Group& group, T value, Combine combine = {}, KM_HERE) {
  return group.Scan(value, combine, true, KM_SITE);
}
template <typename Group, typename T, typename Combine = plus<T>>
T exclusive_scan(const Group& group, T value, Combine combine = {}, KM_HERE) {
  return group.Scan(value, combine, false, KM_SITE);
}
template <typename Group>
void sync(const Group& group, KM_HERE) {
  group.sync(km_file, km_line);
}
template <typename Group>
void wait(const Group& group, KM_HERE) {
  group.sync(km_file, km_line);
}
// Each thread copies its share; the block waits in wait().
template <typename Group, typename T, typename U>
void memcpy_async(const Group& group, T* to, const U* from, std::size_t size) {
  char* const bytes = reinterpret_cast<char*>(to);
  const char* const source = reinterpret_cast<const char*>(from);
  for (std::size_t i = group.thread_rank(); i < size; i += group.num_threads()) {
    bytes[i] = source[i];
  }
}

}  // namespace cooperative_groups
