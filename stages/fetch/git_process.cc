#include "stages/fetch/git_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "parsers/text_lines.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/spawn.h"

namespace kernelmill {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes kTimeLimit{30};
constexpr std::size_t kMessageLimit = 4000;

// The only variables that git gets: GIT_* variables of the caller could redirect it.
std::vector<std::string> Environment() {
  std::vector<std::string> variables = {"GIT_CONFIG_NOSYSTEM=1",
                                        "GIT_CONFIG_GLOBAL=/dev/null",
                                        "GIT_TERMINAL_PROMPT=0",
                                        "GIT_ASKPASS=/bin/false",
                                        "GIT_PROTOCOL_FROM_USER=0",
                                        "LC_ALL=C",
                                        "GIT_SSH_COMMAND=ssh -o BatchMode=yes"};
  for (const char* name : {"PATH", "HOME", "SSH_AUTH_SOCK", "https_proxy", "HTTPS_PROXY",
                           "http_proxy", "no_proxy", "NO_PROXY", "SSL_CERT_FILE"}) {
    if (const char* value = std::getenv(name)) variables.push_back(std::string(name) + "=" + value);
  }
  return variables;
}

// Stops git with SIGTERM first, so that it removes its lock files. Returns its wait status.
int Stop(pid_t child) {
  int state = 0;
  kill(-child, SIGTERM);
  for (int i = 0; i < 50; ++i) {
    if (waitpid(child, &state, WNOHANG) != 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  if (kill(-child, SIGKILL) == 0) {
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
    }
  }
  return state;
}

// Keeps only the last whole lines. A truncated line of a remote could look like a line of git
// itself.
void KeepEnd(std::string* messages) {
  if (messages->size() <= kMessageLimit) return;
  messages->erase(0, messages->size() - kMessageLimit);
  const std::size_t end = messages->find('\n');
  messages->erase(0, end == std::string::npos ? messages->size() : end + 1);
}

}  // namespace

bool GitEnd::Says(std::string_view words) const {
  for (std::string_view line : LinesOf(messages)) {
    const bool passed_on =
        line.starts_with("remote:") || line.find("remote error:") != std::string_view::npos;
    if (!passed_on && line.find(words) != std::string_view::npos) return true;
  }
  return false;
}

Result<GitEnd> RunGit(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "git");
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Status::FromErrno("pipe", "for git");
  // Its process group holds git's transport programs too.
  const Result<pid_t> child = SpawnApart(arguments, {.errors = ends[1]}, Environment());
  close(ends[1]);
  if (!child.ok()) {
    close(ends[0]);
    return Status(ErrorCode::kEnvironment, "the git program cannot be started; install git");
  }
  GitEnd end;
  const Clock::time_point deadline = Clock::now() + kTimeLimit;
  Waited waited = Waited::kReady;
  for (;;) {
    waited =
        WaitFor(ends[0], POLLIN,
                std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()));
    if (waited != Waited::kReady) break;
    char buffer[4096];
    const ssize_t count = read(ends[0], buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    end.messages.append(buffer, static_cast<std::size_t>(count));
    KeepEnd(&end.messages);
  }
  close(ends[0]);
  int state = 0;
  if (waited == Waited::kReady) {
    state = WaitForEnd(*child);
  } else {
    state = Stop(*child);
  }
  if (waited == Waited::kInterrupted) return InterruptedStatus();
  end.late = waited == Waited::kLate;
  end.exit_code = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
  while (!end.messages.empty() && end.messages.back() == '\n') end.messages.pop_back();
  return end;
}

}  // namespace kernelmill
