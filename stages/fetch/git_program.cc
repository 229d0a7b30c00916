#include "stages/fetch/git_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

namespace kernelmill {
namespace {

constexpr int kAttempts = 3;
constexpr std::chrono::minutes kTimeLimit{30};
constexpr std::size_t kMessageLimit = 2000;

// What git needs of the caller's environment, and nothing else: GIT_* variables could redirect it.
std::vector<std::string> Environment() {
  std::vector<std::string> variables = {"GIT_CONFIG_NOSYSTEM=1",    "GIT_CONFIG_GLOBAL=/dev/null",
                                        "GIT_TERMINAL_PROMPT=0",    "GIT_ASKPASS=/bin/false",
                                        "GIT_PROTOCOL_FROM_USER=0", "LC_ALL=C"};
  for (const char* name : {"PATH", "HOME", "SSH_AUTH_SOCK", "https_proxy", "HTTPS_PROXY",
                           "http_proxy", "no_proxy", "NO_PROXY", "SSL_CERT_FILE"}) {
    if (const char* value = std::getenv(name)) variables.push_back(std::string(name) + "=" + value);
  }
  return variables;
}

std::vector<char*> Pointers(std::vector<std::string>& items) {
  std::vector<char*> pointers;
  for (std::string& item : items) pointers.push_back(item.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Runs git to its end; its messages become the error.
Status RunGit(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "git");
  std::vector<std::string> environment = Environment();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Status::FromErrno("pipe", "for git");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  pid_t child = 0;
  const int spawned = posix_spawnp(&child, "git", &actions, nullptr, Pointers(arguments).data(),
                                   Pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (spawned != 0) {
    close(ends[0]);
    return Status(ErrorCode::kIo, "the git program cannot be started; install git");
  }
  std::string messages;
  const auto deadline = std::chrono::steady_clock::now() + kTimeLimit;
  bool late = false;
  for (;;) {
    pollfd waiting{ends[0], POLLIN, 0};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    late = left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count())) == 0;
    if (late) break;
    char buffer[4096];
    const ssize_t count = read(ends[0], buffer, sizeof buffer);
    if (count <= 0) break;
    messages.append(buffer, static_cast<std::size_t>(count));
    if (messages.size() > kMessageLimit) messages.erase(0, messages.size() - kMessageLimit);
  }
  close(ends[0]);
  if (late) kill(child, SIGKILL);
  int state = 0;
  waitpid(child, &state, 0);
  if (late) return Status(ErrorCode::kIo, "git took too long");
  if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return Status::Ok();
  while (!messages.empty() && messages.back() == '\n') messages.pop_back();
  const bool missing = messages.find("not found") != std::string::npos ||
                       messages.find("couldn't find remote ref") != std::string::npos ||
                       messages.find("does not appear to be a git repository") != std::string::npos;
  return Status(missing ? ErrorCode::kNotFound : ErrorCode::kIo, "git says: " + messages);
}

}  // namespace

Status FetchBare(const std::string& url, const std::string& revision, const std::string& git_dir) {
  std::error_code error;
  std::filesystem::create_directories(git_dir, error);
  if (error) return Status(ErrorCode::kIo, "cannot make " + git_dir + ": " + error.message());
  KM_RETURN_IF_ERROR(RunGit({"init", "--quiet", "--bare", "--template=", git_dir}));
  Status status;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(std::chrono::seconds(2 * attempt));
    // A transfer slower than 1 kB/s for a minute has stalled.
    status = RunGit({"-C",
                     git_dir,
                     "-c",
                     "core.hooksPath=/dev/null",
                     "-c",
                     "protocol.ext.allow=never",
                     "-c",
                     "http.lowSpeedLimit=1000",
                     "-c",
                     "http.lowSpeedTime=60",
                     "-c",
                     "core.fsmonitor=false",
                     "fetch",
                     "--quiet",
                     "--depth=1",
                     "--no-tags",
                     "--no-recurse-submodules",
                     "--",
                     url,
                     revision.empty() ? "HEAD" : revision});
    if (status.ok() || status.code() == ErrorCode::kNotFound) return status;
  }
  return status;
}

}  // namespace kernelmill
