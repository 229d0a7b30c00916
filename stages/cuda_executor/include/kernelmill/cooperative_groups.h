// Implements CUDA's cooperative groups for kernels that run on the executor: thread blocks, tiles
// and coalesced threads. A candidate gets it where it includes cooperative_groups.h. Grids and
// clusters are not supported.
#pragma once

#include <kernelmill/async_copy.h>
#include <kernelmill/warp.h>

namespace cooperative_groups {

class thread_block {
 public:
  struct arrival_token {};

  static void sync(KM_HERE) { kernelmill::BlockBarrier(false, KM_SITE); }
  // barrier_arrive() does nothing; all threads synchronise in barrier_wait().
  static arrival_token barrier_arrive() { return {}; }
  static void barrier_wait(arrival_token&&, KM_HERE) { sync(km_file, km_line); }
  static unsigned thread_rank() { return kernelmill::ThreadRank(); }
  static unsigned size() { return kernelmill::ThreadCount(); }
  static unsigned num_threads() { return kernelmill::ThreadCount(); }
  static dim3 group_index() { return dim3(blockIdx); }
  static dim3 thread_index() { return dim3(threadIdx); }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};
inline thread_block this_thread_block() { return {}; }

inline int CountLanes(kernelmill::LaneMask mask) {
  return __builtin_popcountll(static_cast<unsigned long long>(mask)) +
         __builtin_popcountll(static_cast<unsigned long long>(mask >> 64));
}
inline int OwnLane() {
  return static_cast<int>(kernelmill::ThreadRank() % static_cast<unsigned>(warpSize));
}

// A part of a warp: the lanes in `mask`. The calling lane has the rank `rank` in it, and the part
// is number `meta_rank` of `meta_size`.
class WarpPart {
 public:
  WarpPart(kernelmill::LaneMask mask, int rank, int size, unsigned meta_rank, unsigned meta_size)
      : mask_(mask), rank_(rank), size_(size), meta_rank_(meta_rank), meta_size_(meta_size) {}

  void sync(KM_HERE) const {
    kernelmill::ExchangeInWarp(kernelmill::WarpOperation::kSync, mask_, nullptr, 0, KM_SITE);
  }
  unsigned thread_rank() const { return static_cast<unsigned>(rank_); }
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }

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
    return kernelmill::Vote(kernelmill::WarpOperation::kVoteAny, mask_, predicate != 0, nullptr,
                            KM_SITE) != 0;
  }
  int all(int predicate, KM_HERE) const {
    kernelmill::LaneMask lanes;
    return kernelmill::Vote(kernelmill::WarpOperation::kVoteAll, mask_, predicate != 0, &lanes,
                            KM_SITE) == lanes;
  }
  // Bit i of the result belongs to rank i.
  unsigned ballot(int predicate, KM_HERE) const {
    return RanksOf(kernelmill::Vote(kernelmill::WarpOperation::kBallot, mask_, predicate != 0,
                                    nullptr, KM_SITE));
  }
  template <typename T>
  unsigned match_any(T value, KM_HERE) const {
    return RanksOf(LanesWith(value, KM_SITE));
  }
  template <typename T>
  unsigned match_all(T value, int& all, KM_HERE) const {
    kernelmill::LaneMask lanes;
    const kernelmill::LaneMask same = LanesWith(value, KM_SITE, &lanes);
    all = same == lanes;
    return all ? RanksOf(same) : 0;
  }

  template <typename T, typename Combine>
  T Reduce(T value, Combine combine, kernelmill::Site site) const {
    return kernelmill::ReduceInWarp(kernelmill::WarpOperation::kReduce, mask_, value, combine, site);
  }
  // Combines the values of all lower ranks and, if `inclusive`, of the calling one; T() if there
  // are none.
  template <typename T, typename Combine>
  T Scan(T value, Combine combine, bool inclusive, kernelmill::Site site) const {
    const kernelmill::WarpExchange exchange = kernelmill::ExchangeInWarp(
        kernelmill::WarpOperation::kReduce, mask_, &value, sizeof(T), site);
    T result{};
    bool first = true;
    for (int rank = 0; rank < rank_ + (inclusive ? 1 : 0); ++rank) {
      const int lane = LaneOf(rank);
      if (!exchange.Has(lane)) continue;
      const T other = exchange.Value<T>(lane);
      result = first ? other : combine(result, other);
      first = false;
    }
    return result;
  }
  // The lanes that passed the same value. Sets `*lanes` to all participating lanes.
  template <typename T>
  kernelmill::LaneMask LanesWith(T value, kernelmill::Site site,
                                 kernelmill::LaneMask* lanes = nullptr) const {
    const kernelmill::WarpExchange exchange = kernelmill::ExchangeInWarp(
        kernelmill::WarpOperation::kMatchAny, mask_, &value, sizeof(T), site);
    kernelmill::LaneMask same = 0;
    for (int lane = 0; lane < warpSize; ++lane) {
      if (!exchange.Has(lane)) continue;
      const T other = exchange.Value<T>(lane);
      if (std::memcmp(&other, &value, sizeof(T)) == 0) same |= kernelmill::LaneMask{1} << lane;
    }
    if (lanes != nullptr) *lanes = exchange.lanes;
    return same;
  }

 protected:
  int LaneOf(int rank) const {
    for (int lane = 0; lane < kernelmill::kMaxWarp; ++lane) {
      if (((mask_ >> lane) & 1) && rank-- == 0) return lane;
    }
    return -1;
  }
  unsigned RanksOf(kernelmill::LaneMask lanes) const {
    unsigned result = 0;
    for (int rank = 0; rank < size_ && rank < 32; ++rank) {
      if ((lanes >> LaneOf(rank)) & 1) result |= 1u << rank;
    }
    return result;
  }
  template <typename T>
  T From(T value, int rank, kernelmill::Site site) const {
    const kernelmill::WarpExchange exchange = kernelmill::ExchangeInWarp(
        kernelmill::WarpOperation::kShuffle, mask_, &value, sizeof(T), site);
    const int source = LaneOf(rank);
    if (!exchange.Has(source)) {
      kernelmill::NoteUndefinedShuffle(site);
      std::memset(static_cast<void*>(&value), 0xFF, sizeof(T));
      return value;
    }
    return exchange.Value<T>(source);
  }

  kernelmill::LaneMask mask_;
  int rank_, size_;
  unsigned meta_rank_, meta_size_;
};

// The tile of `size` neighbouring lanes (a power of two) that holds the calling thread. The divided
// group has `ranks` threads, of which the calling one has the rank `rank`.
inline WarpPart TileOf(unsigned size, unsigned rank, unsigned ranks, kernelmill::Site site) {
  if (size > static_cast<unsigned>(warpSize)) {
    kernelmill::Trap("unsupported", "a tile of more threads than a warp has", site);
  }
  const int lane = OwnLane();
  const kernelmill::LaneMask mask = size == static_cast<unsigned>(warpSize)
                                        ? ~kernelmill::LaneMask{0}
                                        : ((kernelmill::LaneMask{1} << size) - 1)
                                              << (static_cast<unsigned>(lane) / size * size);
  return {mask, static_cast<int>(static_cast<unsigned>(lane) % size), static_cast<int>(size),
          rank / size, (ranks + size - 1) / size};
}

template <unsigned kSize, typename Parent = void>
class thread_block_tile : public WarpPart {
 public:
  static_assert(kSize >= 1 && kSize <= 1024 && (kSize & (kSize - 1)) == 0);
  explicit thread_block_tile(const WarpPart& part) : WarpPart(part) {}
  template <typename Other>
  thread_block_tile(const thread_block_tile<kSize, Other>& other) : WarpPart(other) {}
  static constexpr unsigned size() { return kSize; }
  static constexpr unsigned num_threads() { return kSize; }
};
template <unsigned kSize, typename Parent>
thread_block_tile<kSize, Parent> tiled_partition(const Parent& parent, KM_HERE) {
  return thread_block_tile<kSize, Parent>(
      TileOf(kSize, parent.thread_rank(), parent.num_threads(), KM_SITE));
}
inline thread_block_tile<1> this_thread(KM_HERE) {
  return thread_block_tile<1>(TileOf(1, 0, 1, KM_SITE));
}

class coalesced_group : public WarpPart {
 public:
  explicit coalesced_group(kernelmill::LaneMask mask, unsigned meta_rank = 0,
                           unsigned meta_size = 1)
      : WarpPart(mask, CountLanes(mask & ((kernelmill::LaneMask{1} << OwnLane()) - 1)),
                 CountLanes(mask), meta_rank, meta_size) {}
  unsigned size() const { return static_cast<unsigned>(size_); }
  unsigned num_threads() const { return static_cast<unsigned>(size_); }
};
inline coalesced_group coalesced_threads(KM_HERE) {
  return coalesced_group(kernelmill::ActiveLanes(KM_SITE));
}
// The members of the group that have the same label as the calling thread.
template <typename Group, typename Label>
coalesced_group labeled_partition(const Group& group, Label label, KM_HERE) {
  return coalesced_group(group.LanesWith(label, KM_SITE));
}
template <typename Group>
coalesced_group binary_partition(const Group& group, bool predicate, KM_HERE) {
  return coalesced_group(group.LanesWith(predicate, KM_SITE), predicate ? 0 : 1, 2);
}

// A group whose kind is determined at run time: the block, or a part of a warp.
class thread_group {
 public:
  thread_group(const thread_block&) : part_(0, 0, 0, 0, 1) {}
  template <unsigned kSize, typename Parent>
  thread_group(const thread_block_tile<kSize, Parent>& tile)
      : is_block_(false), part_(tile), size_(kSize) {}
  thread_group(const coalesced_group& group)
      : is_block_(false), part_(group), size_(group.size()) {}
  thread_group(const WarpPart& part, unsigned size) : is_block_(false), part_(part), size_(size) {}

  void sync(KM_HERE) const {
    if (is_block_) {
      kernelmill::BlockBarrier(false, KM_SITE);
    } else {
      part_.sync(km_file, km_line);
    }
  }
  unsigned thread_rank() const {
    return is_block_ ? kernelmill::ThreadRank() : part_.thread_rank();
  }
  unsigned size() const { return is_block_ ? kernelmill::ThreadCount() : size_; }
  unsigned num_threads() const { return size(); }

 private:
  bool is_block_ = true;
  WarpPart part_;
  unsigned size_ = 0;
};
inline thread_group tiled_partition(const thread_group& parent, unsigned size, KM_HERE) {
  return {TileOf(size, parent.thread_rank(), parent.num_threads(), KM_SITE), size};
}

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
// Runs `call` in the first thread of the group.
template <typename Group, typename Call, typename... Arguments>
void invoke_one(const Group& group, Call&& call, Arguments&&... arguments) {
  if (group.thread_rank() == 0) call(std::forward<Arguments>(arguments)...);
}
template <typename Group>
void sync(const Group& group, KM_HERE) {
  group.sync(km_file, km_line);
}

// Each thread copies its share when it awaits it.
template <typename Group, typename T, typename U>
void memcpy_async(const Group& group, T* to, const U* from, std::size_t size) {
  kernelmill::BeginCopy({reinterpret_cast<char*>(to), reinterpret_cast<const char*>(from),
                         group.thread_rank(), group.num_threads(), size, size});
  kernelmill::CommitCopies();
}
// Waits for all copies but the last `kStages` of them.
template <unsigned kStages, typename Group>
void wait_prior(const Group& group, KM_HERE) {
  kernelmill::AwaitGroups(kStages);
  group.sync(km_file, km_line);
}
template <typename Group>
void wait(const Group& group, KM_HERE) {
  wait_prior<0>(group, km_file, km_line);
}

}  // namespace cooperative_groups
