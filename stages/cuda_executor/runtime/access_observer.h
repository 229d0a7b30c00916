// Sees every access of the threads of a launch to memory that is not their own. Fed by callbacks
// that the compiler puts before each load and store, in builds that trace accesses
// (BuildKind::kRaces, BuildKind::kCounts).
#pragma once

#include <cstddef>
#include <cstdint>

#include <kernelmill/executor.h>

namespace kernelmill {

enum class AccessKind : std::uint8_t { kRead, kWrite, kAtomic };

class AccessObserver {
 public:
  virtual ~AccessObserver() = default;

  virtual void BeginLaunch(unsigned threads) = 0;
  virtual void EndLaunch() {}
  virtual void BeginBlock() = 0;
  // All threads of the block have met.
  virtual void OnBarrier() = 0;
  // The lanes of `lanes` of a warp have met; its first thread in the block is `first`.
  virtual void OnWarpMeeting(unsigned first, LaneMask lanes) = 0;
  virtual void OnFence() {}
  virtual void OnAccess(const void* address, std::size_t size, AccessKind kind,
                        const void* instruction, unsigned thread) = 0;
};

// Null in builds without the callbacks.
AccessObserver* Observer();

}  // namespace kernelmill
