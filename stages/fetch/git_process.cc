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
constexpr int kNoProgram = 127;  // The exit code of setpriv when it finds no git.

// The only variables that git gets: GIT_* variables of the caller could redirect it. The trace
// shows no credentials and no content.
std::vector<std::string> Environment() {
  std::vector<std::string> variables = {"GIT_CONFIG_NOSYSTEM=1",
                                        "GIT_CONFIG_GLOBAL=/dev/null",
                                        "GIT_TERMINAL_PROMPT=0",
                                        "GIT_ASKPASS=/bin/false",
                                        "GIT_PROTOCOL_FROM_USER=0",
                                        "GIT_TRACE_CURL=1",
                                        "GIT_TRACE_CURL_NO_DATA=1",
                                        "LC_ALL=C",
                                        "GIT_SSH_COMMAND=ssh -o BatchMode=yes"};
  for (const char* name : {"PATH", "HOME", "SSH_AUTH_SOCK", "https_proxy", "HTTPS_PROXY",
                           "http_proxy", "no_proxy", "NO_PROXY", "SSL_CERT_FILE"}) {
    if (const char* value = std::getenv(name)) variables.push_back(std::string(name) + "=" + value);
  }
  return variables;
}

Status NotInstalled() {
  return Status(ErrorCode::kEnvironment,
                "git cannot be started; install the programs git and setpriv (of util-linux)");
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

// Takes git's standard error apart: lines of the trace, and messages.
class Messages {
 public:
  explicit Messages(GitEnd* end) : end_(*end) {}

  void Add(std::string_view bytes) {
    for (;;) {
      const auto newline = bytes.find('\n');
      Extend(bytes.substr(0, newline));
      if (newline == std::string_view::npos) return;
      EndLine();
      bytes.remove_prefix(newline + 1);
    }
  }
  void EndLine() {
    if (!too_long_ && !line_.empty() && !end_.http.Take(line_)) Keep();
    line_.clear();
    too_long_ = false;
  }

 private:
  // A truncated line of a remote could look like a line of git itself, so that a line which is too
  // long is left out.
  void Extend(std::string_view bytes) {
    too_long_ = too_long_ || line_.size() + bytes.size() > kMessageLimit;
    if (!too_long_) line_ += bytes;
  }
  // Keeps only the last lines.
  void Keep() {
    end_.messages += line_ + '\n';
    while (end_.messages.size() > kMessageLimit) {
      end_.messages.erase(0, end_.messages.find('\n') + 1);
    }
  }

  GitEnd& end_;
  std::string line_;
  bool too_long_ = false;
};

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
  // When this program is killed, git is too: it must not work on in the folder of fetched
  // repositories beside the git of the next run. The programs that it has started read from it or
  // write to it, and end with the next byte.
  arguments.insert(arguments.begin(), {"setpriv", "--pdeathsig", "KILL", "git"});
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Status::FromErrno("pipe", "for git");
  // Its process group holds git's transport programs too.
  const Result<pid_t> child = SpawnApart(arguments, {.errors = ends[1]}, Environment());
  close(ends[1]);
  if (!child.ok()) {
    close(ends[0]);
    return NotInstalled();
  }
  GitEnd end;
  Messages messages(&end);
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
    messages.Add({buffer, static_cast<std::size_t>(count)});
  }
  messages.EndLine();
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
  if (end.exit_code == kNoProgram) return NotInstalled();
  while (!end.messages.empty() && end.messages.back() == '\n') end.messages.pop_back();
  return end;
}

}  // namespace kernelmill
