// Implements CUDA's warp functions for kernels that run on the executor: barriers, shuffles, votes,
// matches and reductions.
#pragma once

#include <kernelmill/executor.h>

namespace kernelmill {

// The lane that `lane` reads from in a segment of `width` lanes (PTX ISA, shfl.sync): itself if the
// source lies outside the segment.
inline int ShuffleSource(WarpOperation mode, int lane, int offset, int width) {
  const int base = lane / width * width;
  const int last = base + width - 1;
  switch (mode) {
    case WarpOperation::kShuffleUp:
      return lane - offset < base ? lane : lane - offset;
    case WarpOperation::kShuffleDown:
      return lane + offset > last ? lane : lane + offset;
    case WarpOperation::kShuffleXor:
      return (lane ^ offset) > last ? lane : lane ^ offset;
    default:
      return base + (offset & (width - 1));
  }
}

template <typename T>
T Shuffle(WarpOperation mode, LaneMask mask, T value, int offset, int width, Site site) {
  static_assert(sizeof(T) <= kMaxExchange);
  const WarpExchange exchange = ExchangeInWarp(mode, mask, &value, sizeof(T), site);
  const int source = ShuffleSource(mode, exchange.lane, offset, width);
  if (!exchange.Has(source)) {
    NoteUndefinedShuffle(site);
    std::memset(&value, 0xFF, sizeof(T));
    return value;
  }
  return exchange.Value<T>(source);
}

inline LaneMask Vote(WarpOperation mode, LaneMask mask, bool predicate, LaneMask* lanes,
                     Site site) {
  const WarpExchange exchange = ExchangeInWarp(mode, mask, &predicate, sizeof predicate, site);
  LaneMask result = 0;
  for (int lane = 0; lane < warpSize; ++lane) {
    if (exchange.Has(lane) && exchange.Value<bool>(lane)) result |= LaneMask{1} << lane;
  }
  if (lanes != nullptr) *lanes = exchange.lanes;
  return result;
}

template <typename T, typename Combine>
T ReduceInWarp(WarpOperation mode, LaneMask mask, T value, Combine combine, Site site) {
  const WarpExchange exchange = ExchangeInWarp(mode, mask, &value, sizeof(T), site);
  bool first = true;
  for (int lane = 0; lane < warpSize; ++lane) {
    if (!exchange.Has(lane)) continue;
    value = first ? exchange.Value<T>(lane) : combine(value, exchange.Value<T>(lane));
    first = false;
  }
  return value;
}

}  // namespace kernelmill

inline void __syncthreads(KM_HERE) { kernelmill::BlockBarrier(false, KM_SITE); }
inline int __syncthreads_count(int predicate, KM_HERE) {
  return kernelmill::BlockBarrier(predicate != 0, KM_SITE).true_predicates;
}
inline int __syncthreads_or(int predicate, KM_HERE) {
  return kernelmill::BlockBarrier(predicate != 0, KM_SITE).true_predicates > 0;
}
inline int __syncthreads_and(int predicate, KM_HERE) {
  const kernelmill::BarrierCount count = kernelmill::BlockBarrier(predicate != 0, KM_SITE);
  return count.true_predicates == count.threads;
}

inline void __syncwarp(unsigned long long mask = 0xffffffffu, KM_HERE) {
  kernelmill::ExchangeInWarp(kernelmill::WarpOperation::kSync, mask, nullptr, 0, KM_SITE);
}
template <typename T>
T __shfl_sync(unsigned long long mask, T value, int lane, int width = warpSize, KM_HERE) {
  return kernelmill::Shuffle(kernelmill::WarpOperation::kShuffle, mask, value, lane, width, KM_SITE);
}
template <typename T>
T __shfl_up_sync(unsigned long long mask, T value, unsigned delta, int width = warpSize, KM_HERE) {
  return kernelmill::Shuffle(kernelmill::WarpOperation::kShuffleUp, mask, value, delta, width, KM_SITE);
}
template <typename T>
T __shfl_down_sync(unsigned long long mask, T value, unsigned delta, int width = warpSize,
                   KM_HERE) {
  return kernelmill::Shuffle(kernelmill::WarpOperation::kShuffleDown, mask, value, delta, width,
                             KM_SITE);
}
template <typename T>
T __shfl_xor_sync(unsigned long long mask, T value, int lanes, int width = warpSize, KM_HERE) {
  return kernelmill::Shuffle(kernelmill::WarpOperation::kShuffleXor, mask, value, lanes, width, KM_SITE);
}

inline unsigned __ballot_sync(unsigned long long mask, int predicate, KM_HERE) {
  return static_cast<unsigned>(kernelmill::Vote(kernelmill::WarpOperation::kBallot, mask,
                                                predicate != 0, nullptr, KM_SITE));
}
inline int __any_sync(unsigned long long mask, int predicate, KM_HERE) {
  return kernelmill::Vote(kernelmill::WarpOperation::kVoteAny, mask, predicate != 0, nullptr,
                          KM_SITE) != 0;
}
inline int __all_sync(unsigned long long mask, int predicate, KM_HERE) {
  kernelmill::LaneMask lanes;
  return kernelmill::Vote(kernelmill::WarpOperation::kVoteAll, mask, predicate != 0, &lanes,
                          KM_SITE) == lanes;
}
inline int __uni_sync(unsigned long long mask, int predicate, KM_HERE) {
  kernelmill::LaneMask lanes;
  const kernelmill::LaneMask votes = kernelmill::Vote(kernelmill::WarpOperation::kVoteUni, mask,
                                                      predicate != 0, &lanes, KM_SITE);
  return votes == lanes || votes == 0;
}
inline unsigned __activemask(KM_HERE) {
  return static_cast<unsigned>(kernelmill::ActiveLanes(KM_SITE));
}

template <typename T>
unsigned __match_any_sync(unsigned long long mask, T value, KM_HERE) {
  const kernelmill::WarpExchange exchange = kernelmill::ExchangeInWarp(
      kernelmill::WarpOperation::kMatchAny, mask, &value, sizeof(T), KM_SITE);
  unsigned result = 0;
  for (int lane = 0; lane < warpSize && lane < 32; ++lane) {
    if (!exchange.Has(lane)) continue;
    const T other = exchange.Value<T>(lane);
    if (std::memcmp(&other, &value, sizeof(T)) == 0) result |= 1u << lane;
  }
  return result;
}
template <typename T>
unsigned __match_all_sync(unsigned long long mask, T value, int* all, KM_HERE) {
  const kernelmill::WarpExchange exchange = kernelmill::ExchangeInWarp(
      kernelmill::WarpOperation::kMatchAll, mask, &value, sizeof(T), KM_SITE);
  *all = 1;
  for (int lane = 0; lane < warpSize; ++lane) {
    if (!exchange.Has(lane)) continue;
    const T other = exchange.Value<T>(lane);
    if (std::memcmp(&other, &value, sizeof(T)) != 0) *all = 0;
  }
  return *all ? static_cast<unsigned>(exchange.lanes) : 0;
}

#define KM_REDUCE(name, mode, type, expression)                               \
  inline type name(unsigned long long mask, type value, KM_HERE) {            \
    return kernelmill::ReduceInWarp(                                          \
        kernelmill::WarpOperation::mode, mask, value,                         \
        [](type a, type b) { return expression; }, KM_SITE);                  \
  }
KM_REDUCE(__reduce_add_sync, kReduceAdd, unsigned, a + b)
KM_REDUCE(__reduce_min_sync, kReduceMin, unsigned, a < b ? a : b)
KM_REDUCE(__reduce_max_sync, kReduceMax, unsigned, a < b ? b : a)
KM_REDUCE(__reduce_and_sync, kReduceAnd, unsigned, a& b)
KM_REDUCE(__reduce_or_sync, kReduceOr, unsigned, a | b)
KM_REDUCE(__reduce_xor_sync, kReduceXor, unsigned, a ^ b)
KM_REDUCE(__reduce_add_sync, kReduceAdd, int, a + b)
KM_REDUCE(__reduce_min_sync, kReduceMin, int, a < b ? a : b)
KM_REDUCE(__reduce_max_sync, kReduceMax, int, a < b ? b : a)
#undef KM_REDUCE

inline void __threadfence() { kernelmill::Fence(); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { kernelmill::Fence(); }
inline void __nanosleep(unsigned, KM_HERE) { kernelmill::Step(KM_SITE); }
inline void __trap(KM_HERE) { kernelmill::Trap("trap", "the kernel called __trap()", KM_SITE); }
inline void __brkpt() {}
