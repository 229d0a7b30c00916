// The instructions of inline PTX by which threads wait for each other or exchange values (PTX ISA,
// "Parallel Synchronization and Communication Instructions").
#pragma once

#include <kernelmill/arrivals.h>
#include <kernelmill/access/ordered_access.h>
#include <kernelmill/ptx/memory.h>

namespace kernelmill::ptx {

template <typename I, typename Frame>
KM_PTX_INLINE void RunShuffle(Frame& frame) {
  const auto value = I::template In<std::uint32_t>(frame, 1);
  const int by = I::template In<std::int32_t>(frame, 2);
  const int bounds = I::template In<std::int32_t>(frame, 3);
  const WarpOperation mode = I::Has("up")     ? WarpOperation::kShuffleUp
                             : I::Has("down") ? WarpOperation::kShuffleDown
                             : I::Has("bfly") ? WarpOperation::kShuffleXor
                                              : WarpOperation::kShuffle;
  const WarpExchange exchange =
      ExchangeInWarp(mode, I::template In<std::uint32_t>(frame, 4), &value,
                     sizeof value, frame.site);
  const int lane = exchange.lane, segment = bounds >> 8 & 0x1f, bound = bounds & 0x1f;
  const int last = (lane & segment) | (bound & ~segment);
  int source = (lane & segment) | (by & 0x1f & ~segment);
  if (I::Has("up")) source = lane - (by & 0x1f);
  if (I::Has("down")) source = lane + (by & 0x1f);
  if (I::Has("bfly")) source = lane ^ (by & 0x1f);
  const bool inside = I::Has("up") ? source >= last : source <= last;
  if (!inside) source = lane;
  if (!exchange.Has(source)) NoteUndefinedShuffle(frame.site);
  I::Out(frame, 0, exchange.Has(source) ? exchange.Value<std::uint32_t>(source) : ~0u, 0);
  if constexpr (I::GroupAt(0).count == 2) I::Out(frame, 0, inside, 1);
}

template <typename I, typename Frame>
KM_PTX_INLINE void RunVote(Frame& frame) {
  LaneMask lanes;
  const WarpOperation mode = I::Has("ballot") ? WarpOperation::kBallot
                             : I::Has("all")  ? WarpOperation::kVoteAll
                             : I::Has("any")  ? WarpOperation::kVoteAny
                                              : WarpOperation::kVoteUni;
  const LaneMask votes = Vote(mode, I::template In<std::uint32_t>(frame, 2),
                              I::template In<bool>(frame, 1), &lanes, frame.site);
  if constexpr (I::Has("ballot")) {
    I::Out(frame, 0, static_cast<std::uint32_t>(votes));
  } else {
    const bool all = votes == lanes, any = votes != 0;
    I::Out(frame, 0, I::Has("all") ? all : I::Has("any") ? any : all || !any);
  }
}

template <typename I, typename Frame>
KM_PTX_INLINE void RunReduction(Frame& frame) {
  using T = typename I::template Type<0>;
  const auto combine = [](T a, T b) -> T {
    return I::Has("add")   ? a + b
           : I::Has("min") ? (b < a ? b : a)
           : I::Has("max") ? (a < b ? b : a)
           : I::Has("and") ? a & b
           : I::Has("or")  ? a | b
                           : a ^ b;
  };
  const WarpOperation mode = I::Has("add")   ? WarpOperation::kReduceAdd
                             : I::Has("min") ? WarpOperation::kReduceMin
                             : I::Has("max") ? WarpOperation::kReduceMax
                             : I::Has("and") ? WarpOperation::kReduceAnd
                             : I::Has("or")  ? WarpOperation::kReduceOr
                                             : WarpOperation::kReduceXor;
  I::Out(frame, 0, ReduceInWarp(mode, I::template In<std::uint32_t>(frame, 2),
                                I::template In<T>(frame, 1), combine, frame.site));
}

template <typename I, typename Frame>
KM_PTX_INLINE void RunBarrier(Frame& frame) {
  if constexpr (I::Has("warp")) {
    ExchangeInWarp(WarpOperation::kSync, I::template In<std::uint32_t>(frame, 0), nullptr, 0,
                   frame.site);
  } else {
    const auto number = I::template In<std::uint32_t>(frame, 0);
    if constexpr (I::kGroups == 2) {
      NamedBarrier(number, I::template In<std::uint32_t>(frame, 1), I::Has("sync"), frame.site);
    } else {
      // All barriers of the whole block are one here: a thread waits at one of them at a time.
      static_cast<void>(number);
      BlockBarrier(false, frame.site);
    }
  }
}

template <typename I>
KM_PTX_INLINE void RunFence() {
  FenceIn(I::HasAny("gl gpu") ? AccessScope::kDevice
          : I::Has("sys")     ? AccessScope::kSystem
                              : AccessScope::kBlock);
}

}  // namespace kernelmill::ptx
