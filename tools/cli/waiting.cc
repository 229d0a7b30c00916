#include "tools/cli/waiting.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "manifests/printable.h"
#include "stages/engine/progress.h"
#include "tools/cli/terminal.h"

namespace kernelmill {

Waiting::Waiting(const std::string& what)
    : what_(PrintableLine(what)), thread_([this] { Show(); }) {}

Waiting::~Waiting() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void Waiting::Show() {
  constexpr int kLongSeconds = 15;
  const bool is_terminal = Terminal::Of(STDERR_FILENO).is_terminal;
  std::unique_lock lock(mutex_);
  for (int seconds = 1;; ++seconds) {
    if (ended_.wait_for(lock, std::chrono::seconds(1), [this] { return is_over_; })) break;
    if (is_terminal) {
      std::fprintf(stderr, "\r\033[K%s, %d s", what_.c_str(), seconds);
    } else if (seconds == kLongSeconds) {
      Say(what_ + "; the first run also compiles the executor, which takes minutes");
    }
  }
  if (is_terminal) std::fputs("\r\033[K", stderr);
}

}  // namespace kernelmill
