#include "stages/fetch/cache_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "manifests/commit_file.h"
#include "stages/engine/interrupt.h"

namespace kernelmill {

Result<CacheLock> CacheLock::Acquire(const std::string& git_dir) {
  KM_RETURN_IF_ERROR(MakeFolders(FolderOf(git_dir)));
  const std::string path = git_dir + ".lock";
  CacheLock lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (lock.descriptor_ < 0) return Status::FromErrno("open", path);
  while (flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return Status::FromErrno("lock", path);
    if (Pause(std::chrono::milliseconds(100)) == Waited::kInterrupted) return InterruptedStatus();
  }
  return lock;
}

CacheLock::~CacheLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace kernelmill
