#include "stages/engine/machine_limits.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace kernelmill {
namespace {

// A lane has up to three workers with two descriptors each, and up to fifteen buffers with two. A
// fork of a worker uses descriptors up to 110.
constexpr rlim_t kFiles = 88;
constexpr rlim_t kFilesOfLane = 40;
// Two processes of bubblewrap, the worker and a fork for each worker, and a compiler.
constexpr rlim_t kProcesses = 32;
constexpr rlim_t kProcessesOfLane = 16;
constexpr std::int64_t kMostAsked = std::int64_t{1} << 30;

void Raise(__rlimit_resource which) {
  rlimit limit{};
  if (getrlimit(which, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(which, &limit);
}

Status Check(__rlimit_resource which, rlim_t needed, const char* things, const char* option) {
  rlimit limit{};
  if (getrlimit(which, &limit) != 0 || limit.rlim_cur >= needed) return Status::Ok();
  const std::string least = std::to_string(needed);
  return Status(ErrorCode::kWorker, "this process may have " + std::to_string(limit.rlim_cur) +
                                        " " + things + ", and this run needs " + least +
                                        ": raise the limit (ulimit " + option + " " + least +
                                        ") or use fewer --jobs, and run the same command again");
}

}  // namespace

void RaiseLimits() {
  Raise(RLIMIT_NOFILE);
  Raise(RLIMIT_NPROC);
}

Status CheckLimits(int lanes) {
  const auto count = static_cast<rlim_t>(std::max(lanes, 1));
  KM_RETURN_IF_ERROR(Check(RLIMIT_NOFILE, kFiles + kFilesOfLane * count, "open files", "-n"));
  // The kernel does not apply this limit to root.
  if (geteuid() == 0) return Status::Ok();
  return Check(RLIMIT_NPROC, kProcesses + kProcessesOfLane * count, "processes", "-u");
}

bool MachineGives(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(std::min(bytes, kMostAsked));
  void* const memory =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  munmap(memory, size);
  return true;
}

}  // namespace kernelmill
