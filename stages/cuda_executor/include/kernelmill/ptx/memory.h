// The instructions of inline PTX that access memory (PTX ISA, "Data Movement and Conversion
// Instructions", "Parallel Synchronization and Communication Instructions"). A vector is accessed
// as one number of its size, by code of the candidate's library, so that the checks of bounds,
// alignment and races see it as they see an access of C++.
#pragma once

#include <kernelmill/async_copy.h>
#include <kernelmill/access/ordered_access.h>
#include <kernelmill/ptx/floats.h>
#include <kernelmill/ptx/value.h>
#include <kernelmill/state_spaces.h>

namespace kernelmill::ptx {

template <typename I>
constexpr bool IsOfShared() {
  return I::HasAny("shared shared::cta");
}
template <typename I>
KM_PTX_INLINE void* PointerOf(std::uint64_t address, std::size_t size, Site site) {
  if constexpr (IsOfShared<I>()) return SharedPointer(address, size, site);
  if constexpr (I::Has("global")) return GlobalPointer(address, site);
  return reinterpret_cast<void*>(address);
}

template <typename I>
constexpr AccessOrder OrderOf() {
  return I::Has("acq_rel")   ? AccessOrder::kBoth
         : I::Has("acquire") ? AccessOrder::kAcquire
         : I::Has("release") ? AccessOrder::kRelease
                             : AccessOrder::kRelaxed;
}
template <typename I>
constexpr AccessScope ScopeOf() {
  return I::Has("sys")   ? AccessScope::kSystem
         : I::Has("cta") ? AccessScope::kBlock
                         : AccessScope::kDevice;
}

template <std::size_t kSize>
struct WordOfSize;
template <>
struct WordOfSize<1> {
  using Type = std::uint8_t;
};
template <>
struct WordOfSize<2> {
  using Type = std::uint16_t;
};
template <>
struct WordOfSize<4> {
  using Type = std::uint32_t;
};
template <>
struct WordOfSize<8> {
  using Type = std::uint64_t;
};
template <>
struct WordOfSize<16> {
  using Type = unsigned __int128;
};

template <typename I>
constexpr int ElementsOf() {
  return I::Has("v4") ? 4 : I::Has("v2") ? 2 : 1;
}

template <typename I, typename Frame>
KM_PTX_INLINE void RunLoad(Frame& frame) {
  using T = typename I::template Type<0>;
  constexpr int kCount = ElementsOf<I>();
  static_assert(sizeof(T) * kCount <= 16, "inline PTX 'ld' of more than 16 bytes");
  using Word = typename WordOfSize<sizeof(T) * kCount>::Type;
  auto* const place =
      static_cast<const Word*>(PointerOf<I>(I::Address(frame, 1), sizeof(Word), frame.site));
  RequireAligned(place, frame.site);
  Word word;
  if constexpr (I::HasAny("relaxed acquire") && sizeof(Word) <= 8) {
    word = OrderedLoad(place, OrderOf<I>(), ScopeOf<I>(), frame.site);
  } else if constexpr (I::Has("volatile")) {
    word = *static_cast<const volatile Word*>(place);
  } else {
#ifdef KERNELMILL_TRACE_ACCESSES
    if constexpr (I::Has("nc")) OnReadOnlyLoad(place, sizeof(Word), frame.site);
#endif
    word = *place;
  }
  for (int i = 0; i < kCount; ++i) {
    I::Out(frame, 0, FromBits<T>(static_cast<std::uint64_t>(word >> (i * 8 * (sizeof(T) % sizeof(Word))))), i);
  }
}

template <typename I, typename Frame>
KM_PTX_INLINE void RunStore(Frame& frame) {
  using T = typename I::template Type<0>;
  constexpr int kCount = ElementsOf<I>();
  static_assert(sizeof(T) * kCount <= 16, "inline PTX 'st' of more than 16 bytes");
  using Word = typename WordOfSize<sizeof(T) * kCount>::Type;
  Word word = 0;
  for (int i = 0; i < kCount; ++i) {
    std::uint64_t bits = BitsOf(I::template In<T>(frame, 1, i));
    if constexpr (sizeof(T) < 8) bits &= (1ull << (8 * sizeof(T))) - 1;
    word |= static_cast<Word>(static_cast<Word>(bits) << (i * 8 * (sizeof(T) % sizeof(Word))));
  }
  auto* const place =
      static_cast<Word*>(PointerOf<I>(I::Address(frame, 0), sizeof(Word), frame.site));
  RequireAligned(place, frame.site);
  if constexpr (I::HasAny("relaxed release") && sizeof(Word) <= 8) {
    OrderedStore(place, word, OrderOf<I>(), ScopeOf<I>(), frame.site);
  } else if constexpr (I::Has("volatile")) {
    *static_cast<volatile Word*>(place) = word;
  } else {
    *place = word;
  }
}

// `atom`, which has a result, and `red`, which has none.
template <typename I, typename Frame>
KM_PTX_INLINE void RunAtomic(Frame& frame) {
  using T = typename I::template Type<0>;
  constexpr int kAddress = I::kOpcode == "atom" ? 1 : 0;
  T* const place =
      static_cast<T*>(PointerOf<I>(I::Address(frame, kAddress), sizeof(T), frame.site));
  const T value = I::template In<T>(frame, kAddress + 1);
  T other = value;
  if constexpr (I::Has("cas")) other = I::template In<T>(frame, kAddress + 2);
  const auto update = [place, value, other](T old) -> T {
    if constexpr (I::Has("add")) {
      return AtomicSum(place, old, value);
    } else if constexpr (I::Has("min")) {
      if constexpr (kIsFloat<T>)
        return Extreme<true, false>(old, value);
      else
        return value < old ? value : old;
    } else if constexpr (I::Has("max")) {
      if constexpr (kIsFloat<T>)
        return Extreme<false, false>(old, value);
      else
        return old < value ? value : old;
    } else if constexpr (I::Has("and")) {
      return old & value;
    } else if constexpr (I::Has("or")) {
      return old | value;
    } else if constexpr (I::Has("xor")) {
      return old ^ value;
    } else if constexpr (I::Has("inc")) {
      return old >= value ? 0 : old + 1;
    } else if constexpr (I::Has("dec")) {
      return old == 0 || old > value ? value : old - 1;
    } else if constexpr (I::Has("cas")) {
      return old == value ? other : old;
    } else {
      return value;  // exch
    }
  };
  const T before = OrderedUpdate(place, update, OrderOf<I>(), ScopeOf<I>(), frame.site);
  if constexpr (kAddress == 1) I::Out(frame, 0, before);
}

template <typename I, typename Frame>
KM_PTX_INLINE void RunAsyncCopy(Frame& frame) {
  if constexpr (I::Has("commit_group")) {
    CommitCopies();
  } else if constexpr (I::Has("wait_all")) {
    AwaitCopies();
  } else if constexpr (I::Has("wait_group")) {
    AwaitGroups(I::template In<std::uint32_t>(frame, 0));
  } else {
    const std::size_t size = I::template In<std::uint32_t>(frame, 2);
    std::size_t filled = size;
    // Before the policy of the cache, if there is one: the bytes to read, or whether to read none.
    if constexpr (I::kGroups == (I::Has("L2::cache_hint") ? 5 : 4)) {
      filled = I::OperandAt(3).predicate ? (I::template In<bool>(frame, 3) ? 0 : size)
                                         : I::template In<std::uint32_t>(frame, 3);
    }
    BeginWholeCopy(SharedPointer(I::Address(frame, 0), size, frame.site),
                   GlobalPointer(I::Address(frame, 1), frame.site), size, filled, frame.site);
  }
}

template <typename I, typename Frame>
KM_PTX_INLINE void RunAddress(Frame& frame) {
  const auto address = I::template In<std::uint64_t>(frame, 1);
  constexpr bool kNarrow = I::Has("u32");
  std::uint64_t result = address;
  if constexpr (IsOfShared<I>()) {
    if constexpr (I::Has("to")) {
      result = SharedAddress(reinterpret_cast<const void*>(address));
    } else {
      result = reinterpret_cast<std::uint64_t>(SharedPointer(address, 1, frame.site));
    }
  }
  I::Out(frame, 0, kNarrow ? static_cast<std::uint32_t>(result) : result);
}

}  // namespace kernelmill::ptx
