// Implements CUB's reductions and scans of blocks and warps for kernels that run on the executor. A
// candidate gets it where it includes CUB's own headers. Temporary storage holds one value per
// thread, and a thread's rank is its linear number in the block.
#pragma once

#include <kernelmill/warp.h>

#include <limits>
#include <optional>
#include <type_traits>

namespace cub {

struct Sum {
  template <typename T>
  T operator()(const T& a, const T& b) const {
    return a + b;
  }
};
struct Max {
  template <typename T>
  T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
struct Min {
  template <typename T>
  T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
template <typename Key, typename Value>
struct KeyValuePair {
  Key key;
  Value value;
};
struct ArgMax {
  template <typename Pair>
  Pair operator()(const Pair& a, const Pair& b) const {
    return a.value < b.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <typename Pair>
  Pair operator()(const Pair& a, const Pair& b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS,
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

// One value per thread, in shared memory.
template <typename T, int kThreads>
struct ValuesOfBlock {
  alignas(T) unsigned char bytes[sizeof(T) * kThreads];
  T& operator[](int i) { return reinterpret_cast<T*>(bytes)[i]; }
};

// As in CUB, only thread 0 gets the result; the other threads get their own value back.
template <typename T, int kX, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int kY = 1,
          int kZ = 1>
class BlockReduce {
 public:
  using TempStorage = ValuesOfBlock<T, kX * kY * kZ>;
  explicit BlockReduce(TempStorage& storage) : storage_(storage) {}

  template <typename Combine>
  T Reduce(T value, Combine combine, int count, KM_HERE) {
    const int rank = static_cast<int>(kernelmill::ThreadRank());
    storage_[rank] = value;
    kernelmill::BlockBarrier(false, KM_SITE);
    if (rank == 0) {
      for (int i = 1; i < count; ++i) value = combine(value, storage_[i]);
    }
    return value;
  }
  template <typename Combine>
  T Reduce(T value, Combine combine, KM_HERE) {
    return Reduce(value, combine, kX * kY * kZ, km_file, km_line);
  }
  template <int kItems, typename Combine>
  T Reduce(T (&values)[kItems], Combine combine, KM_HERE) {
    T value = values[0];
    for (int i = 1; i < kItems; ++i) value = combine(value, values[i]);
    return Reduce(value, combine, km_file, km_line);
  }
  T Sum(T value, KM_HERE) { return Reduce(value, cub::Sum(), km_file, km_line); }
  T Sum(T value, int count, KM_HERE) { return Reduce(value, cub::Sum(), count, km_file, km_line); }
  template <int kItems>
  T Sum(T (&values)[kItems], KM_HERE) {
    return Reduce(values, cub::Sum(), km_file, km_line);
  }

 private:
  TempStorage& storage_;
};

// Whether an argument of a scan combines two values, or is a callback, and not a value itself. What
// can be called is not asked: where functions have sides, those of a device cannot be called here.
template <typename Combine, typename T>
concept IsCombination = !std::is_convertible_v<Combine, T>;
template <typename Callback, typename T>
concept IsCallback = std::is_class_v<Callback> && IsCombination<Callback, T>;

// Scans of one value per thread, or of an array of consecutive ones, which may be the same array as
// the result.
template <typename T, int kX, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int kY = 1, int kZ = 1>
class BlockScan {
 public:
  static constexpr int kThreads = kX * kY * kZ;
  using TempStorage = ValuesOfBlock<T, kThreads + 1>;  // The last is what a callback returns.
  explicit BlockScan(TempStorage& storage) : storage_(storage) {}

// `total` gets what all items of the block come to, without the initial value. The first warp calls
// the callback with it; what its first lane returns comes before all items. Without an initial
// value and a callback, the first result of an exclusive scan is undefined.
#define KM_SCANS(scan, sum, inclusive, zero)                                                 \
  template <typename Input, typename Output, typename Combine>                               \
    requires IsCombination<Combine, T>                                                       \
  void scan(Input&& input, Output& output, Combine combine, KM_HERE) {                       \
    Scan<inclusive>(input, output, {}, combine, KM_SITE);                                    \
  }                                                                                          \
  template <typename Input, typename Output, typename Combine>                               \
    requires IsCombination<Combine, T>                                                       \
  void scan(Input&& input, Output& output, Combine combine, T& total, KM_HERE) {             \
    total = Scan<inclusive>(input, output, {}, combine, KM_SITE);                            \
  }                                                                                          \
  template <typename Input, typename Output, typename Combine>                               \
    requires IsCombination<Combine, T>                                                       \
  void scan(Input&& input, Output& output, std::type_identity_t<T> initial, Combine combine, \
            KM_HERE) {                                                                       \
    Scan<inclusive>(input, output, initial, combine, KM_SITE);                               \
  }                                                                                          \
  template <typename Input, typename Output, typename Combine>                               \
    requires IsCombination<Combine, T>                                                       \
  void scan(Input&& input, Output& output, std::type_identity_t<T> initial, Combine combine, \
            T& total, KM_HERE) {                                                             \
    total = Scan<inclusive>(input, output, initial, combine, KM_SITE);                       \
  }                                                                                          \
  template <typename Input, typename Output, typename Combine, typename Callback>            \
    requires IsCombination<Combine, T> && IsCallback<Callback, T>                            \
  void scan(Input&& input, Output& output, Combine combine, Callback& callback, KM_HERE) {   \
    ScanBehind<inclusive>(input, output, combine, callback, KM_SITE);                        \
  }                                                                                          \
  template <typename Input, typename Output>                                                 \
  void sum(Input&& input, Output& output, KM_HERE) {                                         \
    Scan<inclusive>(input, output, zero, Sum(), KM_SITE);                                    \
  }                                                                                          \
  template <typename Input, typename Output>                                                 \
  void sum(Input&& input, Output& output, T& total, KM_HERE) {                               \
    total = Scan<inclusive>(input, output, zero, Sum(), KM_SITE);                            \
  }                                                                                          \
  template <typename Input, typename Output, typename Callback>                              \
    requires IsCallback<Callback, T>                                                         \
  void sum(Input&& input, Output& output, Callback& callback, KM_HERE) {                     \
    ScanBehind<inclusive>(input, output, Sum(), callback, KM_SITE);                          \
  }
  KM_SCANS(InclusiveScan, InclusiveSum, true, {})
  KM_SCANS(ExclusiveScan, ExclusiveSum, false, T{})
#undef KM_SCANS

 private:
  template <bool kInclusive, int kItems, typename Combine>
  T Scan(T (&input)[kItems], T (&output)[kItems], std::optional<T> initial, Combine combine,
         kernelmill::Site site) {
    const T total = TotalOf(input, combine, site);
    Write<kInclusive>(input, output, BeforeThread(initial, combine), combine);
    return total;
  }
  template <bool kInclusive, typename Combine>
  T Scan(T input, T& output, std::optional<T> initial, Combine combine, kernelmill::Site site) {
    T items[] = {input}, results[] = {input};
    const T total = Scan<kInclusive>(items, results, initial, combine, site);
    output = results[0];
    return total;
  }
  template <bool kInclusive, int kItems, typename Combine, typename Callback>
  void ScanBehind(T (&input)[kItems], T (&output)[kItems], Combine combine, Callback& callback,
                  kernelmill::Site site) {
    const T prefix = PrefixOf(TotalOf(input, combine, site), callback, site);
    Write<kInclusive>(input, output, BeforeThread(prefix, combine), combine);
  }
  template <bool kInclusive, typename Combine, typename Callback>
  void ScanBehind(T input, T& output, Combine combine, Callback& callback, kernelmill::Site site) {
    T items[] = {input}, results[] = {input};
    ScanBehind<kInclusive>(items, results, combine, callback, site);
    output = results[0];
  }
  // The total of the block's items; storage_ then holds that of each thread.
  template <int kItems, typename Combine>
  T TotalOf(T (&input)[kItems], Combine combine, kernelmill::Site site) {
    T own = input[0];
    for (int i = 1; i < kItems; ++i) own = combine(own, input[i]);
    storage_[static_cast<int>(kernelmill::ThreadRank())] = own;
    kernelmill::BlockBarrier(false, site);
    T total = storage_[0];
    for (int i = 1; i < kThreads; ++i) total = combine(total, storage_[i]);
    return total;
  }
  template <typename Callback>
  T PrefixOf(T total, Callback& callback, kernelmill::Site site) {
    const int rank = static_cast<int>(kernelmill::ThreadRank());
    T prefix{};
    if (rank < warpSize) prefix = callback(total);
    if (rank == 0) storage_[kThreads] = prefix;
    kernelmill::BlockBarrier(false, site);
    return storage_[kThreads];
  }
  // What comes before the calling thread's items: `first`, if there is one, and those of the
  // threads before it.
  template <typename Combine>
  std::optional<T> BeforeThread(std::optional<T> first, Combine combine) {
    const int rank = static_cast<int>(kernelmill::ThreadRank());
    for (int i = 0; i < rank; ++i) first = first ? combine(*first, storage_[i]) : storage_[i];
    return first;
  }
  template <bool kInclusive, int kItems, typename Combine>
  static void Write(T (&input)[kItems], T (&output)[kItems], std::optional<T> before,
                    Combine combine) {
    for (int i = 0; i < kItems; ++i) {
      const T item = input[i];
      if (!kInclusive && before) output[i] = *before;
      before = before ? combine(*before, item) : item;
      if (kInclusive) output[i] = *before;
    }
  }

  TempStorage& storage_;
};

// Reduces over logical warps of kWidth lanes. The temporary storage is unused, because lanes
// exchange their values directly. As in CUB, whose lanes shuffle down, only lane 0 gets the result;
// each other lane gets that of itself and the lanes above it.
template <typename T, int kWidth = 32>
class WarpReduce {
 public:
  struct TempStorage {};
  explicit WarpReduce(TempStorage&) {}

  template <typename Combine>
  T Reduce(T value, Combine combine, KM_HERE) {
    return Reduce(value, combine, kWidth, km_file, km_line);
  }
  // Reduces over the first `count` lanes.
  template <typename Combine>
  T Reduce(T value, Combine combine, int count, KM_HERE) {
    const kernelmill::WarpExchange exchange = kernelmill::ExchangeInWarp(
        kernelmill::WarpOperation::kReduce, Mask(), &value, sizeof(T), KM_SITE);
    const int end = exchange.lane / kWidth * kWidth + count;
    for (int lane = exchange.lane + 1; lane < end; ++lane) {
      if (exchange.Has(lane)) value = combine(value, exchange.Value<T>(lane));
    }
    return value;
  }
  T Sum(T value, KM_HERE) { return Reduce(value, cub::Sum(), km_file, km_line); }
  T Sum(T value, int count, KM_HERE) { return Reduce(value, cub::Sum(), count, km_file, km_line); }

 private:
  static kernelmill::LaneMask Mask() {
    if (kWidth >= warpSize) return ~kernelmill::LaneMask{0};
    const unsigned lane = kernelmill::ThreadRank() % static_cast<unsigned>(warpSize);
    return ((kernelmill::LaneMask{1} << kWidth) - 1) << (lane / kWidth * kWidth);
  }
};
template <typename T, int kWidth = 32>
class WarpScan {
 public:
  struct TempStorage {};
  explicit WarpScan(TempStorage&) {}

  template <typename Combine>
  void InclusiveScan(T input, T& output, Combine combine, KM_HERE) {
    for (int d = 1; d < kWidth; d *= 2) {
      const T other = Before(input, d, KM_SITE);
      if (Rank() >= d) input = combine(other, input);
    }
    output = input;
  }
  template <typename Combine>
  void ExclusiveScan(T input, T& output, T initial, Combine combine, KM_HERE) {
    T inclusive;
    InclusiveScan(input, inclusive, combine, km_file, km_line);
    const T other = Before(inclusive, 1, KM_SITE);
    output = Rank() == 0 ? initial : combine(initial, other);
  }
  void InclusiveSum(T input, T& output, KM_HERE) {
    InclusiveScan(input, output, Sum(), km_file, km_line);
  }
  void ExclusiveSum(T input, T& output, KM_HERE) {
    ExclusiveScan(input, output, T(), Sum(), km_file, km_line);
  }

 private:
  static int Rank() { return static_cast<int>(kernelmill::ThreadRank() % kWidth); }
  static T Before(T value, int distance, kernelmill::Site site) {
    return kernelmill::Shuffle(kernelmill::WarpOperation::kShuffleUp, ~kernelmill::LaneMask{0}, value,
                               distance, kWidth, site);
  }
};

template <typename Iterator, typename T>
T ThreadLoad(Iterator from) {
  return *from;
}

}  // namespace cub
