// Implements libcu++'s pipelines for kernels that run on the executor: of one thread, and of a block
// with stages in shared memory. A candidate gets it where it includes cuda/pipeline.
#pragma once

#include <kernelmill/libcu/barrier_objects.h>

namespace cuda {

enum class pipeline_role { producer, consumer };

// What the threads of a block share of a pipeline: for each stage, who has filled and who has left it.
template <thread_scope kScope, std::uint8_t kStages>
struct pipeline_shared_state {
  kernelmill::Arrivals filled[kStages], left[kStages];
  std::uint32_t producers;
};

template <thread_scope kScope>
class pipeline;

// The copies of a thread, which waits for its own.
template <>
class pipeline<thread_scope_thread> {
 public:
  bool quit() { return true; }
  void producer_acquire() {}
  void producer_commit() {
    kernelmill::CommitCopies();
    ++committed_;
  }
  __attribute__((always_inline)) void consumer_wait() { WaitPrior(committed_ - released_ - 1); }
  void consumer_release() { ++released_; }

  template <typename Size>
  __attribute__((always_inline)) void Copy(void* to, const void* from, const Size& size,
                                           std::size_t first, std::size_t step,
                                           kernelmill::Site site) {
    kernelmill::BeginCopy(detail::CopyOf(to, from, size, first, step, site));
  }
  // Waits for all stages but the newest `left`.
  __attribute__((always_inline)) void WaitPrior(std::size_t left, KM_HERE) {
    kernelmill::AwaitGroups(left);
  }

 private:
  std::size_t committed_ = 0, released_ = 0;
};

template <>
class pipeline<thread_scope_block> {
 public:
  pipeline(kernelmill::Arrivals* filled, kernelmill::Arrivals* left, unsigned stages)
      : filled_(filled), left_(left), stages_(stages) {}
  pipeline(pipeline&&) = default;
  pipeline(const pipeline&) = delete;

  bool quit() { return true; }
  void producer_acquire(KM_HERE) {
    const std::uint32_t round = head_ / stages_;
    if (round > 0) kernelmill::AwaitPhases(&left_[head_ % stages_], round, KM_SITE);
  }
  __attribute__((always_inline)) void producer_commit() {
    kernelmill::Arrive(&filled_[head_ % stages_], 1);
    ++head_;
  }
  void consumer_wait(KM_HERE) {
    kernelmill::AwaitPhases(&filled_[tail_ % stages_], tail_ / stages_ + 1, KM_SITE);
  }
  __attribute__((always_inline)) void consumer_release() {
    kernelmill::Arrive(&left_[tail_ % stages_], 1);
    ++tail_;
  }

  template <typename Size>
  __attribute__((always_inline)) void Copy(void* to, const void* from, const Size& size,
                                           std::size_t first, std::size_t step,
                                           kernelmill::Site site) {
    detail::BeginCopyFor(&filled_[head_ % stages_],
                         detail::CopyOf(to, from, size, first, step, site));
  }
  void WaitPrior(std::size_t left, KM_HERE) {
    if (head_ <= left) return;
    const std::uint32_t stage = head_ - static_cast<std::uint32_t>(left) - 1;
    kernelmill::AwaitPhases(&filled_[stage % stages_], stage / stages_ + 1, KM_SITE);
  }

 private:
  kernelmill::Arrivals *filled_, *left_;
  std::uint32_t stages_, head_ = 0, tail_ = 0;
};

namespace detail {

template <typename Group, thread_scope kScope, std::uint8_t kStages>
pipeline<kScope> MakePipeline(const Group& group, pipeline_shared_state<kScope, kStages>* state,
                              std::uint32_t producers, std::uint32_t consumers) {
  if (group.thread_rank() == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      state->filled[stage] = {producers, 0, 0};
      state->left[stage] = {consumers, 0, 0};
    }
  }
  group.sync();
  return pipeline<kScope>(state->filled, state->left, kStages);
}

}  // namespace detail

inline pipeline<thread_scope_thread> make_pipeline() { return {}; }
// All threads of the group fill and leave the stages,
template <typename Group, thread_scope kScope, std::uint8_t kStages>
pipeline<kScope> make_pipeline(const Group& group, pipeline_shared_state<kScope, kStages>* state) {
  const auto size = static_cast<std::uint32_t>(group.size());
  return detail::MakePipeline(group, state, size, size);
}
// or the first `producers` fill and the others leave them,
template <typename Group, thread_scope kScope, std::uint8_t kStages>
pipeline<kScope> make_pipeline(const Group& group, pipeline_shared_state<kScope, kStages>* state,
                               std::size_t producers) {
  const auto size = static_cast<std::uint32_t>(group.size());
  const auto first = static_cast<std::uint32_t>(producers);
  return detail::MakePipeline(group, state, first, size - first);
}
// or each does what its role says.
template <typename Group, thread_scope kScope, std::uint8_t kStages>
pipeline<kScope> make_pipeline(const Group& group, pipeline_shared_state<kScope, kStages>* state,
                               pipeline_role role) {
  if (group.thread_rank() == 0) state->producers = 0;
  group.sync();
  if (role == pipeline_role::producer) atomicAdd(&state->producers, 1u);
  group.sync();
  const std::uint32_t producers = state->producers;
  return detail::MakePipeline(group, state, producers,
                              static_cast<std::uint32_t>(group.size()) - producers);
}

template <typename Group, typename Size, thread_scope kScope>
__attribute__((always_inline)) inline void memcpy_async(const Group& group, void* to,
                                                        const void* from, const Size& size,
                                                        pipeline<kScope>& into, KM_HERE) {
  into.Copy(to, from, size, group.thread_rank(), group.size(), KM_SITE);
}
template <typename Size, thread_scope kScope>
__attribute__((always_inline)) inline void memcpy_async(void* to, const void* from,
                                                        const Size& size, pipeline<kScope>& into,
                                                        KM_HERE) {
  into.Copy(to, from, size, 0, 1, KM_SITE);
}
template <std::uint8_t kLeft, thread_scope kScope>
__attribute__((always_inline)) inline void pipeline_consumer_wait_prior(pipeline<kScope>& from,
                                                                        KM_HERE) {
  from.WaitPrior(kLeft, km_file, km_line);
}

}  // namespace cuda
