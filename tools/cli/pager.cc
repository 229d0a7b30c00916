#include "tools/cli/pager.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace kernelmill {
namespace {

constexpr char kClosed[] = "the pager was closed";
bool open_pager = false;

// The pager's command line; empty if there is none.
std::string PagerProgram() {
  const char* const chosen = std::getenv("PAGER");
  if (chosen != nullptr) return std::string(chosen) == "cat" ? "" : chosen;
  return access("/usr/bin/less", X_OK) == 0 ? "/usr/bin/less" : "";
}

}  // namespace

Pager::Pager(bool wanted) {
  if (!wanted || open_pager || isatty(STDOUT_FILENO) != 1) return;
  const std::string program = PagerProgram();
  if (program.empty()) return;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  std::fflush(stdout);
  const pid_t process = fork();
  if (process == 0) {
    dup2(ends[0], STDIN_FILENO);
    signal(SIGPIPE, SIG_DFL);
    // F: leave at once when everything fits; R: show colours; X: leave the text on the screen.
    setenv("LESS", "FRX", 0);
    execl("/bin/sh", "sh", "-c", program.c_str(), nullptr);
    _exit(127);
  }
  close(ends[0]);
  if (process > 0) {
    output_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    dup2(ends[1], STDOUT_FILENO);
    process_ = process;
    open_pager = true;
  }
  close(ends[1]);
}

Pager::~Pager() {
  if (process_ < 0) return;
  std::fflush(stdout);
  dup2(output_, STDOUT_FILENO);
  close(output_);
  std::clearerr(stdout);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  open_pager = false;
}

bool Pager::IsOpen() { return open_pager; }

Status Pager::Closed() { return Status(ErrorCode::kIo, kClosed); }

bool Pager::IsClosed(const Status& status) {
  return status.code() == ErrorCode::kIo && status.message() == kClosed;
}

}  // namespace kernelmill
