// Implements CUB's reductions and scans of blocks and warps for kernels that run on the executor. A
// candidate gets it where it includes CUB's own headers. Temporary storage holds one value per
// thread, and a thread's rank is its linear number in the block.
#pragma once

#include <kernelmill/warp.h>

#include <limits>
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

// Whether an argument is a callback of a scan, and not a place for its total.
template <typename Callback, typename T>
concept IsCallback = std::is_class_v<Callback> && !std::is_same_v<Callback, T>;

template <typename T, int kX, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int kY = 1, int kZ = 1>
class BlockScan {
 public:
  static constexpr int kThreads = kX * kY * kZ;
  using TempStorage = ValuesOfBlock<T, kThreads + 1>;  // The last one is a callback's.
  explicit BlockScan(TempStorage& storage) : storage_(storage) {}

  template <typename Combine>
  void InclusiveScan(T input, T& output, Combine combine, T& total, KM_HERE) {
    const int rank = static_cast<int>(kernelmill::ThreadRank());
    storage_[rank] = input;
    kernelmill::BlockBarrier(false, KM_SITE);
    T sum = storage_[0];
    output = sum;
    for (int i = 1; i < kThreads; ++i) {
      sum = combine(sum, storage_[i]);
      if (i == rank) output = sum;
    }
    total = sum;
  }
  template <typename Combine>
  void ExclusiveScan(T input, T& output, T initial, Combine combine, T& total, KM_HERE) {
    const int rank = static_cast<int>(kernelmill::ThreadRank());
    storage_[rank] = input;
    kernelmill::BlockBarrier(false, KM_SITE);
    T sum = initial;
    for (int i = 0; i < kThreads; ++i) {
      if (i == rank) output = sum;
      sum = combine(sum, storage_[i]);
    }
    total = sum;
  }
  template <typename Combine>
  void InclusiveScan(T input, T& output, Combine combine, KM_HERE) {
    T total;
    InclusiveScan(input, output, combine, total, km_file, km_line);
  }
  template <typename Combine>
  void ExclusiveScan(T input, T& output, T initial, Combine combine, KM_HERE) {
    T total;
    ExclusiveScan(input, output, initial, combine, total, km_file, km_line);
  }
  // With a callback, which the first warp calls with the total of the block; what its first lane
  // returns comes before all items.
  template <typename Combine, typename Callback>
    requires IsCallback<Callback, T>
  void InclusiveScan(T input, T& output, Combine combine, Callback& callback, KM_HERE) {
    T total, scanned;
    InclusiveScan(input, scanned, combine, total, km_file, km_line);
    output = combine(PrefixOf(total, callback, km_file, km_line), scanned);
  }
  template <typename Combine, typename Callback>
    requires IsCallback<Callback, T> && (!std::is_convertible_v<Combine, T>)
  void ExclusiveScan(T input, T& output, Combine combine, Callback& callback, KM_HERE) {
    T items[] = {input}, results[1];
    ExclusiveScan(items, results, combine, callback, km_file, km_line);
    output = results[0];
  }
  template <int kItems, typename Combine, typename Callback>
    requires IsCallback<Callback, T>
  void InclusiveScan(T (&input)[kItems], T (&output)[kItems], Combine combine, Callback& callback,
                     KM_HERE) {
    const T total = TotalOf(input, combine, km_file, km_line);
    T before = BeforeThread(PrefixOf(total, callback, km_file, km_line), combine);
    for (int i = 0; i < kItems; ++i) output[i] = before = combine(before, input[i]);
  }
  template <int kItems, typename Combine, typename Callback>
    requires IsCallback<Callback, T> && (!std::is_convertible_v<Combine, T>)
  void ExclusiveScan(T (&input)[kItems], T (&output)[kItems], Combine combine, Callback& callback,
                     KM_HERE) {
    const T total = TotalOf(input, combine, km_file, km_line);
    T before = BeforeThread(PrefixOf(total, callback, km_file, km_line), combine);
    for (int i = 0; i < kItems; ++i) {
      const T item = input[i];
      output[i] = before;
      before = combine(before, item);
    }
  }
  template <typename Input, typename Output, typename Callback>
    requires IsCallback<Callback, T>
  void InclusiveSum(Input&& input, Output& output, Callback& callback, KM_HERE) {
    InclusiveScan(input, output, Sum(), callback, km_file, km_line);
  }
  template <typename Input, typename Output, typename Callback>
    requires IsCallback<Callback, T>
  void ExclusiveSum(Input&& input, Output& output, Callback& callback, KM_HERE) {
    ExclusiveScan(input, output, Sum(), callback, km_file, km_line);
  }
  // Several consecutive items per thread.
  template <int kItems, typename Combine>
  void InclusiveScan(T (&input)[kItems], T (&output)[kItems], Combine combine, KM_HERE) {
    T before{};
    const bool first = kernelmill::ThreadRank() == 0;
    ScanOfThreads(input, &before, combine, km_file, km_line);
    for (int i = 0; i < kItems; ++i) {
      before = first && i == 0 ? input[0] : combine(before, input[i]);
      output[i] = before;
    }
  }
  template <int kItems, typename Combine>
  void ExclusiveScan(T (&input)[kItems], T (&output)[kItems], T initial, Combine combine, KM_HERE) {
    T before{};
    ScanOfThreads(input, &before, combine, km_file, km_line);
    before = kernelmill::ThreadRank() == 0 ? initial : combine(initial, before);
    for (int i = 0; i < kItems; ++i) {
      const T item = input[i];
      output[i] = before;
      before = combine(before, item);
    }
  }
  template <int kItems>
  void InclusiveSum(T (&input)[kItems], T (&output)[kItems], KM_HERE) {
    InclusiveScan(input, output, Sum(), km_file, km_line);
  }
  template <int kItems>
  void ExclusiveSum(T (&input)[kItems], T (&output)[kItems], KM_HERE) {
    ExclusiveScan(input, output, T(), Sum(), km_file, km_line);
  }
  void InclusiveSum(T input, T& output, KM_HERE) {
    InclusiveScan(input, output, Sum(), km_file, km_line);
  }
  void InclusiveSum(T input, T& output, T& total, KM_HERE) {
    InclusiveScan(input, output, Sum(), total, km_file, km_line);
  }
  void ExclusiveSum(T input, T& output, KM_HERE) {
    ExclusiveScan(input, output, T(), Sum(), km_file, km_line);
  }
  void ExclusiveSum(T input, T& output, T& total, KM_HERE) {
    ExclusiveScan(input, output, T(), Sum(), total, km_file, km_line);
  }

 private:
  // What the callback returns to the first lane. The first warp calls it, as in CUB.
  template <typename Callback>
  T PrefixOf(T total, Callback& callback, KM_HERE) {
    const int rank = static_cast<int>(kernelmill::ThreadRank());
    T prefix{};
    if (rank < warpSize) prefix = callback(total);
    if (rank == 0) storage_[kThreads] = prefix;
    kernelmill::BlockBarrier(false, KM_SITE);
    return storage_[kThreads];
  }
  // The total of the block's items; storage_ then holds that of each thread.
  template <int kItems, typename Combine>
  T TotalOf(T (&input)[kItems], Combine combine, KM_HERE) {
    T own = input[0];
    for (int i = 1; i < kItems; ++i) own = combine(own, input[i]);
    storage_[static_cast<int>(kernelmill::ThreadRank())] = own;
    kernelmill::BlockBarrier(false, KM_SITE);
    T total = storage_[0];
    for (int i = 1; i < kThreads; ++i) total = combine(total, storage_[i]);
    return total;
  }
  // `prefix`, combined with the items of all threads before the calling one.
  template <typename Combine>
  T BeforeThread(T prefix, Combine combine) {
    const int rank = static_cast<int>(kernelmill::ThreadRank());
    for (int i = 0; i < rank; ++i) prefix = combine(prefix, storage_[i]);
    return prefix;
  }
  // Combines the items of all threads before the calling one into `*before`, which stays unchanged
  // for thread 0.
  template <int kItems, typename Combine>
  void ScanOfThreads(T (&input)[kItems], T* before, Combine combine, const char* km_file,
                     int km_line) {
    T own = input[0];
    for (int i = 1; i < kItems; ++i) own = combine(own, input[i]);
    const int rank = static_cast<int>(kernelmill::ThreadRank());
    storage_[rank] = own;
    kernelmill::BlockBarrier(false, KM_SITE);
    for (int i = 0; i < rank; ++i) *before = i == 0 ? storage_[0] : combine(*before, storage_[i]);
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
