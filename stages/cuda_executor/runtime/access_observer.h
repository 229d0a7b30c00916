// The interface of what observes every access of a launch's threads to memory outside their own
// stacks: RaceDetector or AccessCounter, whichever the build has. In builds that trace accesses
// (BuildKind::kRaces, BuildKind::kCounts), the compiler inserts a callback before each load and
// store, which calls OnAccess(); the launch and the block report the rest.
#pragma once

#include <cstddef>
#include <cstdint>

#include <kernelmill/executor.h>

namespace kernelmill {

enum class AccessKind : std::uint8_t {
  kRead,
  kWrite,
  kVolatileRead,
  kVolatileWrite,
  kAtomic,
  kAtomicRead,
  kAtomicOfBlock
};
constexpr bool IsAtomic(AccessKind kind) { return kind >= AccessKind::kAtomic; }

class AccessObserver {
 public:
  virtual ~AccessObserver() = default;

  virtual void BeginLaunch(unsigned threads) = 0;
  virtual void EndLaunch() {}
  virtual void BeginBlock() = 0;
  // All threads of the block have arrived at a barrier.
  virtual void OnBarrier() = 0;
  // The lanes in `lanes` of a warp have executed a warp operation together. `first` is the number
  // of the warp's first thread in the block.
  virtual void OnWarpMeeting(unsigned first, LaneMask lanes, WarpOperation operation) = 0;
  // The thread has executed a fence of the device.
  virtual void OnFence(unsigned /*thread*/) {}
  // An extension's text names volatile memory.
  virtual void NoteVolatile() {}
  // A thread is about to access memory in a volatile way, once or twice; OnAccess() follows with
  // this address, of an access that is not said to be volatile.
  virtual void OnVolatile(const void* /*address*/) {}
  // A thread is about to read memory through the read-only cache; OnAccess() follows.
  virtual void OnReadOnlyLoad(const void* /*address*/, std::size_t /*size*/, Site /*site*/) {}
  virtual void OnAccess(const void* address, std::size_t size, AccessKind kind,
                        const void* instruction, unsigned thread) = 0;
};

// The observer of this build; null in builds without the callbacks.
AccessObserver* Observer();

}  // namespace kernelmill
