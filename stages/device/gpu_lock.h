// Holds one of this machine's GPUs, for one process among all that use the same folder of locks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include "manifests/status.h"

namespace kernelmill {

class GpuLock {
 public:
  // Waits until one of `count` GPUs is free. kInterrupted when the run is asked to stop.
  static Result<GpuLock> Take(const std::filesystem::path& folder, std::int64_t count);
  GpuLock(GpuLock&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), index_(other.index_) {}
  GpuLock& operator=(GpuLock&&) = delete;
  ~GpuLock();  // The system gives the lock back too when the process ends.

  int index() const { return index_; }

 private:
  GpuLock(int descriptor, int index) : descriptor_(descriptor), index_(index) {}
  int descriptor_;
  int index_;
};

}  // namespace kernelmill
