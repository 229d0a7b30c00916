// Implements libcu++'s barriers in shared memory, and the asynchronous copies that they await, for
// kernels that run on the executor. A candidate gets it where it includes cuda/barrier.
#pragma once

#include <kernelmill/arrivals.h>
#include <kernelmill/libcu/atomic_objects.h>
#include <kernelmill/cooperative_groups.h>

namespace cuda {

// A size, and what the addresses and the size are multiples of.
template <std::size_t kAlignment>
struct aligned_size_t {
  static constexpr std::size_t align = kAlignment;
  std::size_t value;
  explicit aligned_size_t(std::size_t size) : value(size) {}
  operator std::size_t() const { return value; }
};

namespace std {
struct NoCompletion {
  void operator()() const {}
};
}  // namespace std

template <thread_scope kScope, typename Completion = std::NoCompletion>
class barrier {
 public:
  class arrival_token {
   public:
    arrival_token() = default;

   private:
    friend class barrier;
    explicit arrival_token(std::uint32_t phase) : phase_(phase) {}
    std::uint32_t phase_ = 0;
  };

  barrier() = default;
  explicit barrier(std::ptrdiff_t expected) { Expect(expected); }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;
  static constexpr std::ptrdiff_t max() { return (1 << 20) - 1; }

  __attribute__((always_inline)) arrival_token arrive(std::ptrdiff_t count = 1) {
    return arrival_token(kernelmill::Arrive(&arrivals_, static_cast<std::uint32_t>(count)));
  }
  void wait(arrival_token token, KM_HERE) const {
    kernelmill::AwaitPhase(&arrivals_, token.phase_, KM_SITE);
  }
  void wait_parity(bool parity, KM_HERE) const {
    const std::uint32_t phase = kernelmill::PhaseOf(&arrivals_);
    if ((phase & 1) == static_cast<std::uint32_t>(parity)) {
      kernelmill::AwaitPhase(&arrivals_, phase, KM_SITE);
    }
  }
  __attribute__((always_inline)) void arrive_and_wait(KM_HERE) {
    wait(arrive(), km_file, km_line);
  }
  // The following phases expect one arrival less.
  __attribute__((always_inline)) void arrive_and_drop() {
    kernelmill::ExpectFewer(&arrivals_);
    kernelmill::Arrive(&arrivals_, 0);
  }

  kernelmill::Arrivals* Counts() { return &arrivals_; }
  void Expect(std::ptrdiff_t expected) {
    arrivals_ = {static_cast<std::uint32_t>(expected), 0, 0};
  }

 private:
  kernelmill::Arrivals arrivals_;
};
template <thread_scope kScope, typename Completion>
void init(barrier<kScope, Completion>* place, std::ptrdiff_t expected) {
  place->Expect(expected);
}
namespace std {
template <typename Completion = NoCompletion>
using barrier = ::cuda::barrier<thread_scope_system, Completion>;
}  // namespace std

namespace detail {

// Every `step`-th byte from `first` on is the calling thread's.
template <typename Size>
__attribute__((always_inline)) inline kernelmill::AsyncCopy CopyOf(void* to, const void* from,
                                                                   const Size& size,
                                                                   std::size_t first,
                                                                   std::size_t step,
                                                                   kernelmill::Site site) {
  if constexpr (requires { Size::align; }) {
    const auto bits = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
    if ((bits | size.value) % Size::align != 0) {
      const bool to_is = reinterpret_cast<std::uintptr_t>(to) % Size::align != 0;
      kernelmill::ReportMisaligned(to_is ? to : from, Size::align, site);
    }
  }
  const std::size_t bytes = size;
  return {static_cast<char*>(to), static_cast<const char*>(from), first, step, bytes, bytes};
}
__attribute__((always_inline)) inline void BeginCopyFor(const void* barrier,
                                                        const kernelmill::AsyncCopy& copy) {
  kernelmill::TouchCopy(copy);
  if (!kernelmill::StartCopyFor(barrier, copy)) kernelmill::MakeCopy(copy);
}

}  // namespace detail

template <typename Group, typename Size, thread_scope kScope, typename Completion>
__attribute__((always_inline)) inline void memcpy_async(const Group& group, void* to,
                                                        const void* from, const Size& size,
                                                        barrier<kScope, Completion>& awaited,
                                                        KM_HERE) {
  detail::BeginCopyFor(awaited.Counts(), detail::CopyOf(to, from, size, group.thread_rank(),
                                                        group.size(), KM_SITE));
}
template <typename Size, thread_scope kScope, typename Completion>
__attribute__((always_inline)) inline void memcpy_async(void* to, const void* from,
                                                        const Size& size,
                                                        barrier<kScope, Completion>& awaited,
                                                        KM_HERE) {
  detail::BeginCopyFor(awaited.Counts(), detail::CopyOf(to, from, size, 0, 1, KM_SITE));
}

}  // namespace cuda
