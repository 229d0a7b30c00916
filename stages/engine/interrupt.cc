#include "stages/engine/interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

namespace kernelmill {
namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler needs it");
// Whether the first signal is left to the command (FinishWorkAtInterrupt()).
std::atomic<bool> finishes_work = false;
// A descriptor that is readable from the first signal on, for every thread that waits. poll()
// ignores negative descriptors.
int interruption = -1;

void OnSignal(int) {
  if (interrupted.exchange(true)) _exit(ExitCodeOf(ErrorCode::kInterrupted));
  const int error = errno;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(interruption, &one, sizeof one);
  errno = error;
}

}  // namespace

void WatchForInterrupt() {
  interruption = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A closed pipe or a file size limit must make write() fail, and not end the program.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool Interrupted() { return !finishes_work && interrupted.load(std::memory_order_relaxed); }

void FinishWorkAtInterrupt() { finishes_work = true; }

Status InterruptedStatus() {
  return Status(ErrorCode::kInterrupted,
                "stopped on request; committed work is kept, and the same command resumes it");
}

Status WithoutResuming(Status status) {
  if (status.code() != ErrorCode::kInterrupted) return status;
  return Status(ErrorCode::kInterrupted,
                "stopped on request; written files are kept, and the same command starts again");
}

Waited WaitFor(int descriptor, short events, std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline = Clock::now() + patience;
  for (;;) {
    if (Interrupted()) return Waited::kInterrupted;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd entries[] = {{descriptor, events, 0}, {finishes_work ? -1 : interruption, POLLIN, 0}};
    const int ready = poll(entries, 2, static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000)));
    // If poll() fails, the following read or write reports the error.
    if (ready < 0 && errno != EINTR) return Waited::kReady;
    if (ready > 0 && entries[0].revents != 0) return Waited::kReady;
    if (ready == 0 && left <= 0) return Waited::kLate;
  }
}

Waited WaitFor(int descriptor, short events) {
  while (true) {
    const Waited waited = WaitFor(descriptor, events, std::chrono::hours(1));
    if (waited != Waited::kLate) return waited;
  }
}

int InterruptDescriptor() { return interruption; }

Waited Pause(std::chrono::milliseconds time) {
  constexpr int kNothing = -1;
  return WaitFor(kNothing, 0, time);
}

}  // namespace kernelmill
