#include "stages/device/gpu_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "stages/engine/interrupt.h"

namespace kernelmill {
namespace {

constexpr std::chrono::milliseconds kPause{20};

}  // namespace

Result<GpuLock> GpuLock::Take(const std::filesystem::path& folder, int index) {
  const std::string path = folder / ("gpu" + std::to_string(index) + ".lock");
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return Status::FromErrno("cannot open", path);
  GpuLock lock(descriptor);
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (Pause(kPause) == Waited::kInterrupted) return InterruptedStatus();
  }
  return lock;
}

GpuLock::~GpuLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace kernelmill
