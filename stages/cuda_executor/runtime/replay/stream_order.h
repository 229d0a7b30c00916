// What streams, events and waits of the host say about the order of the launches, copies and
// operators (steps) of one call of forward(): which steps a step has to wait for. Host code is
// executed with every step made at once, so only a replay (replay.h) runs steps in another order.
//
// The rules are those of the CUDA runtime's documentation, "Stream synchronization behavior", with
// the legacy default stream: it waits for blocking streams, and they wait for it.
//
// Not thread-safe; used by the thread that calls forward().
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <kernelmill/runtime_api.h>

namespace kernelmill {

using Steps = std::set<std::size_t>;  // By their numbers.

// How steps that nothing orders follow each other.
enum class StepOrder {
  kAsCalled,
  kDefaultFirst,  // Those of other streams run as late as they may.
  kDefaultLast,
  kInTurns,      // Each stream runs one step, then the next one.
  kInTurnsLast,  // The same, so that the streams end together.
  // Only those that the caller's work waits for: neither the current stream nor the host has waited
  // for any other when forward() has returned, and it may run much later.
  kAwaited,
};

// By name: "as_called", "default_first", "default_last", "in_turns", "in_turns_last", "awaited".
const std::map<std::string_view, StepOrder>& StepOrders();

class StreamOrder {
 public:
  // Forgets all steps and copies: what was begun has ended.
  void Begin();

  // Handles, which nothing may be read from.
  cudaStream_t NewStream(bool blocking);
  void DropStream(cudaStream_t stream);
  cudaEvent_t NewEvent();
  void DropEvent(cudaEvent_t event);

  cudaStream_t current() const { return current_; }
  void SetCurrent(cudaStream_t stream) { current_ = Known(stream); }

  void Add(cudaStream_t stream);
  // A step of the host's own, its writing to memory that kernels may read: all later steps wait for
  // it, and it waits for what the host has waited for.
  void AddOfHost();
  void Record(cudaEvent_t event, cudaStream_t stream);
  void Wait(cudaStream_t stream, cudaEvent_t event);
  // The host goes on when these have ended.
  void HostWaitsFor(cudaStream_t stream);
  void HostWaitsFor(cudaEvent_t event);
  void HostWaitsForAll();

  // An asynchronous copy from pinned memory: the host must not change it before it has waited.
  void AddStaged(const void* from, std::size_t size);
  // Whether it has. Looks at what nothing has waited for yet.
  bool ChangedStaged();

  // The numbers of all steps, counted from 0 as they were added, in an order that they may run in.
  std::vector<std::size_t> Ordered(StepOrder order) const;
  // Whether two steps run in another order than they were called in, or one does not run, in one of
  // these orders.
  bool MayDiffer() const;
  // The step that was added last, and what the next one of a stream waits for.
  std::size_t last_step() const { return steps_.size() - 1; }
  Steps LastOf(cudaStream_t stream) const;
  // The same, and what the host has waited for before it calls the next one.
  Steps AwaitedBy(cudaStream_t stream) const;
  // Whether a step has ended once those of `last` have.
  bool IsBefore(std::size_t step, const Steps& last) const;

 private:
  // Steps, and all that come before them.
  Steps WithAllBefore(Steps last) const;

  struct Stream {
    bool blocking = true;
    Steps last;  // What its next step waits for.
  };
  struct Step {
    std::optional<std::size_t> place;  // That of its stream, or nothing for the host's own.
    Steps after;
    bool called;  // Or a wait of the host.
  };
  // A handle that is none names the default stream.
  cudaStream_t Known(cudaStream_t stream) const;
  void HostWaitsFor(Steps awaited);
  void CompareStaged();

  std::map<cudaStream_t, Stream> streams_;
  std::map<cudaEvent_t, Steps> events_;
  std::set<const void*> handles_;
  std::vector<Step> steps_;
  Steps host_;     // What the host has waited for last.
  Steps dropped_;  // The last ones of streams that are no more.
  std::map<const void*, std::string> staged_;
  bool changed_staged_ = false;
  cudaStream_t current_ = nullptr;
};

}  // namespace kernelmill
