// Implements CUB's block primitives on several items per thread for kernels that run on the
// executor: loads, stores, exchanges, sorts, histograms. A candidate gets it where it includes
// CUB's own headers. The kX * kY * kZ threads of a block hold kItems items each, in a "blocked"
// arrangement (consecutive items in one thread) or a "striped" one (consecutive items in
// consecutive threads).
#pragma once

#include <algorithm>
#include <numeric>

#include <kernelmill/cub.h>

namespace cub {

struct NullType {};

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
};
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

// The position of item `i` of the calling thread among all items of the block.
template <int kThreads, int kItems>
int PlaceOf(int i, bool striped) {
  const int rank = static_cast<int>(kernelmill::ThreadRank());
  return striped ? i * kThreads + rank : rank * kItems + i;
}

template <typename T, int kX, int kItems, BlockLoadAlgorithm kHow = BLOCK_LOAD_DIRECT, int kY = 1,
          int kZ = 1>
class BlockLoad {
 public:
  struct TempStorage {};
  BlockLoad() = default;
  explicit BlockLoad(TempStorage&) {}

  template <typename Iterator>
  void Load(Iterator from, T (&items)[kItems]) {
    for (int i = 0; i < kItems; ++i) items[i] = from[Place(i)];
  }
  template <typename Iterator>
  void Load(Iterator from, T (&items)[kItems], int count) {
    for (int i = 0; i < kItems; ++i) {
      if (Place(i) < count) items[i] = from[Place(i)];
    }
  }
  template <typename Iterator, typename Default>
  void Load(Iterator from, T (&items)[kItems], int count, Default otherwise) {
    for (T& item : items) item = otherwise;
    Load(from, items, count);
  }

 private:
  static int Place(int i) { return PlaceOf<kX * kY * kZ, kItems>(i, kHow == BLOCK_LOAD_STRIPED); }
};

template <typename T, int kX, int kItems, BlockStoreAlgorithm kHow = BLOCK_STORE_DIRECT, int kY = 1,
          int kZ = 1>
class BlockStore {
 public:
  struct TempStorage {};
  BlockStore() = default;
  explicit BlockStore(TempStorage&) {}

  template <typename Iterator>
  void Store(Iterator to, T (&items)[kItems]) {
    Store(to, items, kX * kY * kZ * kItems);
  }
  template <typename Iterator>
  void Store(Iterator to, T (&items)[kItems], int count) {
    for (int i = 0; i < kItems; ++i) {
      const int place = PlaceOf<kX * kY * kZ, kItems>(i, kHow == BLOCK_STORE_STRIPED);
      if (place < count) to[place] = items[i];
    }
  }
};

template <typename T, int kX, int kItems, bool = false, int kY = 1, int kZ = 1>
class BlockExchange {
 public:
  static constexpr int kThreads = kX * kY * kZ;
  using TempStorage = ValuesOfBlock<T, kThreads * kItems>;
  explicit BlockExchange(TempStorage& storage) : storage_(storage) {}

  void StripedToBlocked(T (&in)[kItems], T (&out)[kItems], KM_HERE) {
    Move(in, out, true, false, KM_SITE);
  }
  void BlockedToStriped(T (&in)[kItems], T (&out)[kItems], KM_HERE) {
    Move(in, out, false, true, KM_SITE);
  }
  void StripedToBlocked(T (&items)[kItems], KM_HERE) { Move(items, items, true, false, KM_SITE); }
  void BlockedToStriped(T (&items)[kItems], KM_HERE) { Move(items, items, false, true, KM_SITE); }
  // Item i moves to position ranks[i].
  void ScatterToBlocked(T (&items)[kItems], int (&ranks)[kItems], KM_HERE) {
    Scatter(items, ranks, false, KM_SITE);
  }
  void ScatterToStriped(T (&items)[kItems], int (&ranks)[kItems], KM_HERE) {
    Scatter(items, ranks, true, KM_SITE);
  }

 private:
  void Move(T (&in)[kItems], T (&out)[kItems], bool from_striped, bool to_striped,
            kernelmill::Site site) {
    for (int i = 0; i < kItems; ++i) {
      storage_[PlaceOf<kThreads, kItems>(i, from_striped)] = in[i];
    }
    Take(out, to_striped, site);
  }
  void Scatter(T (&items)[kItems], int (&ranks)[kItems], bool striped, kernelmill::Site site) {
    for (int i = 0; i < kItems; ++i) storage_[ranks[i]] = items[i];
    Take(items, striped, site);
  }
  void Take(T (&items)[kItems], bool striped, kernelmill::Site site) {
    kernelmill::BlockBarrier(false, site);
    for (int i = 0; i < kItems; ++i) items[i] = storage_[PlaceOf<kThreads, kItems>(i, striped)];
  }

  TempStorage& storage_;
};

// Sorts the keys and values of a block: they are put into shared memory, and one thread sorts them
// between two barriers.
template <typename Key, int kThreads, int kItems, typename Value>
class BlockSort {
 public:
  struct TempStorage {
    ValuesOfBlock<Key, kThreads * kItems> keys;
    ValuesOfBlock<Value, kThreads * kItems> values;
  };
  explicit BlockSort(TempStorage& storage) : storage_(storage) {}

 protected:
  // Sorts stably. `values` may be null.
  template <typename Less>
  void Order(Key (&keys)[kItems], Value (*values)[kItems], Less less, bool to_striped,
             kernelmill::Site site) {
    for (int i = 0; i < kItems; ++i) {
      const int place = PlaceOf<kThreads, kItems>(i, false);
      storage_.keys[place] = keys[i];
      if (values != nullptr) storage_.values[place] = (*values)[i];
    }
    kernelmill::BlockBarrier(false, site);
    if (kernelmill::ThreadRank() == 0) SortAll(less);
    kernelmill::BlockBarrier(false, site);
    for (int i = 0; i < kItems; ++i) {
      const int place = PlaceOf<kThreads, kItems>(i, to_striped);
      keys[i] = storage_.keys[place];
      if (values != nullptr) (*values)[i] = storage_.values[place];
    }
  }

 private:
  template <typename Less>
  void SortAll(Less less) {
    // On the stack: on the heap, two blocks would use the same memory, which counts as a race.
    constexpr int kCount = kThreads * kItems;
    int order[kCount];
    std::iota(order, order + kCount, 0);
    std::sort(order, order + kCount, [&](int a, int b) {
      if (less(storage_.keys[a], storage_.keys[b])) return true;
      return !less(storage_.keys[b], storage_.keys[a]) && a < b;
    });
    Key keys[kCount];
    Value values[kCount];
    for (int i = 0; i < kCount; ++i) {
      keys[i] = storage_.keys[order[i]];
      values[i] = storage_.values[order[i]];
    }
    for (int i = 0; i < kCount; ++i) {
      storage_.keys[i] = keys[i];
      storage_.values[i] = values[i];
    }
  }

  TempStorage& storage_;
};

// An unsigned integer with the same order as the key in a radix sort.
template <typename Key>
std::uint64_t RadixBits(Key key) {
  using Bits = std::conditional_t<
      sizeof(Key) == 8, std::uint64_t,
      std::conditional_t<sizeof(Key) == 4, std::uint32_t,
                         std::conditional_t<sizeof(Key) == 2, std::uint16_t, std::uint8_t>>>;
  const Bits bits = __builtin_bit_cast(Bits, key);
  constexpr auto kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  if constexpr (std::is_unsigned_v<Key>) return bits;
  if constexpr (std::is_integral_v<Key>) return static_cast<Bits>(bits ^ kSign);
  return static_cast<Bits>(bits & kSign ? ~bits : bits | kSign);
}

template <typename Key, int kX, int kItems, typename Value = NullType, int = 4, bool = true,
          BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS, int = 0, int kY = 1, int kZ = 1>
class BlockRadixSort : public BlockSort<Key, kX * kY * kZ, kItems, Value> {
 public:
  using BlockSort<Key, kX * kY * kZ, kItems, Value>::BlockSort;
  static constexpr int kBits = 8 * sizeof(Key);

#define KM_SORT(name, descending, striped)                                                       \
  void name(Key(&keys)[kItems], int first_bit = 0, int last_bit = kBits, KM_HERE) {              \
    Sort(keys, nullptr, descending, striped, first_bit, last_bit, KM_SITE);                      \
  }                                                                                              \
  void name(Key(&keys)[kItems], Value(&values)[kItems], int first_bit = 0, int last_bit = kBits, \
            KM_HERE) {                                                                           \
    Sort(keys, &values, descending, striped, first_bit, last_bit, KM_SITE);                      \
  }
  KM_SORT(Sort, false, false)
  KM_SORT(SortDescending, true, false)
  KM_SORT(SortBlockedToStriped, false, true)
  KM_SORT(SortDescendingBlockedToStriped, true, true)
#undef KM_SORT

 private:
  void Sort(Key (&keys)[kItems], Value (*values)[kItems], bool descending, bool striped,
            int first_bit, int last_bit, kernelmill::Site site) {
    const auto part = [=](Key key) {
      return RadixBits(key) >> first_bit & (~std::uint64_t{0} >> (64 - (last_bit - first_bit)));
    };
    this->Order(
        keys, values,
        [=](Key a, Key b) { return descending ? part(b) < part(a) : part(a) < part(b); }, striped,
        site);
  }
};

template <typename Key, int kX, int kItems, typename Value = NullType, int kY = 1, int kZ = 1>
class BlockMergeSort : public BlockSort<Key, kX * kY * kZ, kItems, Value> {
 public:
  using BlockSort<Key, kX * kY * kZ, kItems, Value>::BlockSort;
  template <typename Less>
  void Sort(Key (&keys)[kItems], Less less, KM_HERE) {
    this->Order(keys, nullptr, less, false, KM_SITE);
  }
  template <typename Less>
  void Sort(Key (&keys)[kItems], Value (&values)[kItems], Less less, KM_HERE) {
    this->Order(keys, &values, less, false, KM_SITE);
  }
  template <typename Less>
  void StableSort(Key (&keys)[kItems], Less less, KM_HERE) {
    this->Order(keys, nullptr, less, false, KM_SITE);
  }
};

// Counts the items' values in an array that the caller provides.
template <typename T, int kX, int kItems, int kBins, BlockHistogramAlgorithm = BLOCK_HISTO_SORT,
          int kY = 1, int kZ = 1>
class BlockHistogram {
 public:
  struct TempStorage {};
  explicit BlockHistogram(TempStorage&) {}

  template <typename Counter>
  void InitHistogram(Counter (&histogram)[kBins], KM_HERE) {
    for (unsigned i = kernelmill::ThreadRank(); i < kBins; i += kX * kY * kZ) histogram[i] = 0;
    kernelmill::BlockBarrier(false, KM_SITE);
  }
  template <typename Counter>
  void Composite(T (&items)[kItems], Counter (&histogram)[kBins], KM_HERE) {
    for (const T item : items) {
      kernelmill::AtomicUpdate(
          &histogram[item], [](Counter count) { return static_cast<Counter>(count + 1); }, KM_SITE);
    }
  }
  template <typename Counter>
  void Histogram(T (&items)[kItems], Counter (&histogram)[kBins], KM_HERE) {
    InitHistogram(histogram, km_file, km_line);
    Composite(items, histogram, km_file, km_line);
  }
};

struct Equality {
  template <typename T>
  bool operator()(const T& a, const T& b) const {
    return a == b;
  }
};
struct Inequality {
  template <typename T>
  bool operator()(const T& a, const T& b) const {
    return !(a == b);
  }
};

// Flags items that differ from their predecessor.
template <typename T, int kX, int kY = 1, int kZ = 1>
class BlockDiscontinuity {
 public:
  using TempStorage = ValuesOfBlock<T, kX * kY * kZ>;
  explicit BlockDiscontinuity(TempStorage& storage) : storage_(storage) {}

  template <int kItems, typename Flag, typename Differ>
  void FlagHeads(Flag (&heads)[kItems], T (&items)[kItems], Differ differ, KM_HERE) {
    const int rank = static_cast<int>(kernelmill::ThreadRank());
    storage_[rank] = items[kItems - 1];
    kernelmill::BlockBarrier(false, KM_SITE);
    heads[0] = rank == 0 || differ(storage_[rank - 1], items[0]);
    for (int i = 1; i < kItems; ++i) heads[i] = differ(items[i - 1], items[i]);
  }
  template <int kItems, typename Flag, typename Differ>
  void FlagTails(Flag (&tails)[kItems], T (&items)[kItems], Differ differ, KM_HERE) {
    const int rank = static_cast<int>(kernelmill::ThreadRank());
    storage_[rank] = items[0];
    kernelmill::BlockBarrier(false, KM_SITE);
    for (int i = 0; i + 1 < kItems; ++i) tails[i] = differ(items[i], items[i + 1]);
    tails[kItems - 1] = rank == kX * kY * kZ - 1 || differ(items[kItems - 1], storage_[rank + 1]);
  }

 private:
  TempStorage& storage_;
};

}  // namespace cub
