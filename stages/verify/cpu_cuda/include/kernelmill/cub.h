// The block and warp primitives of CUB. Temporary storage holds one value a thread; ranks follow
// the thread's number in its block.
#pragma once

#include <kernelmill/warp.h>

#include <limits>

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

// One value a thread, as it lies in shared memory.
template <typename T, int kThreads>
struct ValuesOfBlock {
  alignas(T) unsigned char bytes[sizeof(T) * kThreads];
  T& operator[](int i) { return reinterpret_cast<T*>(bytes)[i]; }
};

// As in CUB, the result is the first thread's; others get theirs unchanged by it.
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

template <typename T, int kX, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int kY = 1, int kZ = 1>
class BlockScan {
 public:
  static constexpr int kThreads = kX * kY * kZ;
  using TempStorage = ValuesOfBlock<T, kThreads>;
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
  TempStorage& storage_;
};

// Logical warps of kWidth lanes; the storage is that of no thread, values are exchanged.
template <typename T, int kWidth = 32>
class WarpReduce {
 public:
  struct TempStorage {};
  explicit WarpReduce(TempStorage&) {}

  template <typename Combine>
  T Reduce(T value, Combine combine, KM_HERE) {
    return kernelmill::ReduceInWarp(Mask(), value, combine, KM_SITE);
  }
  T Sum(T value, KM_HERE) { return Reduce(value, cub::Sum(), km_file, km_line); }

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

  void InclusiveSum(T input, T& output, KM_HERE) {
    for (int d = 1; d < kWidth; d *= 2) {
      const T other = kernelmill::Shuffle(kernelmill::ShuffleMode::kUp, ~kernelmill::LaneMask{0},
                                          input, d, kWidth, KM_SITE);
      if (static_cast<int>(kernelmill::ThreadRank() % kWidth) >= d) input = input + other;
    }
    output = input;
  }
  void ExclusiveSum(T input, T& output, KM_HERE) {
    T inclusive;
    InclusiveSum(input, inclusive, km_file, km_line);
    output = inclusive - input;
  }
};

template <typename Iterator, typename T>
T ThreadLoad(Iterator from) {
  return *from;
}

}  // namespace cub
