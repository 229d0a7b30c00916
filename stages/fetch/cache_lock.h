// Keeps other threads and processes away from one fetched repository while it is being written.
#pragma once

#include <string>

#include "manifests/status.h"

namespace kernelmill {

// Released by the destructor, and by the system when the process ends.
class CacheLock {
 public:
  // Waits until nobody else holds the lock of the folder `git_dir`, which need not exist; its
  // parent is created. The lock is the file "<git_dir>.lock", which stays. kIo, or kInterrupted
  // when the run is asked to stop.
  static Result<CacheLock> Acquire(const std::string& git_dir);

  CacheLock(CacheLock&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  CacheLock& operator=(CacheLock&&) = delete;
  ~CacheLock();

 private:
  explicit CacheLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace kernelmill
