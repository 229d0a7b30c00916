#include "stages/engine/interrupt.h"

#include <unistd.h>
#include <csignal>

#include <atomic>

namespace kernelmill {
namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler needs it");

void OnSignal(int) {
  if (interrupted.exchange(true)) _exit(ExitCodeOf(ErrorCode::kInterrupted));
}

}  // namespace

void WatchForInterrupt() {
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A reader that went away, or a limit on file sizes, is an error of write(), not the end of the
  // program.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool Interrupted() { return interrupted.load(std::memory_order_relaxed); }

Status InterruptedStatus() {
  return Status(ErrorCode::kInterrupted,
                "stopped on request; what is committed stays, and the same command resumes");
}

}  // namespace kernelmill
