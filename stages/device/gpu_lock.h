// Holds one of this machine's GPUs, for one process among all that use the same folder of locks.
#pragma once

#include <filesystem>
#include <utility>

#include "manifests/status.h"

namespace kernelmill {

class GpuLock {
 public:
  // Waits until the GPU with this index is free. kInterrupted when the run is asked to stop.
  static Result<GpuLock> Take(const std::filesystem::path& folder, int index);
  GpuLock(GpuLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  GpuLock& operator=(GpuLock&&) = delete;
  ~GpuLock();  // The system gives the lock back too when the process ends.

 private:
  explicit GpuLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace kernelmill
