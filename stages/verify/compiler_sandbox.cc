#include "stages/verify/compiler_sandbox.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "stages/worker/sandbox.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr char kBubblewrap[] = "/usr/bin/bwrap";
constexpr char kLimiter[] = "/usr/bin/prlimit";
constexpr std::size_t kMaxOutput = 256 << 10;
constexpr long kMaxMemory = 6L << 30;  // Of address space; a compile takes about 0.7 GB.
constexpr long kMaxFile = 512L << 20;  // The largest is the precompiled header of torch, 90 MB.

std::vector<std::string> SandboxPrefix(const std::vector<CompilerMount>& readable,
                                       const fs::path& output, int cpu_seconds) {
  std::vector<std::string> command = {kLimiter,
                                      "--cpu=" + std::to_string(cpu_seconds),
                                      "--as=" + std::to_string(kMaxMemory),
                                      "--fsize=" + std::to_string(kMaxFile),
                                      "--core=0",
                                      kBubblewrap,
                                      "--unshare-all",
                                      "--unshare-user",
                                      "--die-with-parent",
                                      "--new-session",
                                      "--cap-drop",
                                      "ALL",
                                      "--clearenv",
                                      "--setenv",
                                      "PATH",
                                      "/usr/bin",
                                      "--setenv",
                                      "LANG",
                                      "C.UTF-8",
                                      "--ro-bind",
                                      "/usr",
                                      "/usr"};
  for (const char* folder : {"/bin", "/lib", "/lib32", "/lib64", "/libx32"}) {
    std::error_code error;
    if (fs::is_symlink(folder, error)) {
      command.insert(command.end(), {"--symlink", fs::read_symlink(folder), folder});
    } else if (fs::is_directory(folder, error)) {
      command.insert(command.end(), {"--ro-bind", folder, folder});
    }
  }
  for (const char* path : {"/etc/alternatives", "/etc/ld.so.cache"}) {
    command.insert(command.end(), {"--ro-bind-try", path, path});
  }
  for (const CompilerMount& mount : readable) {
    command.insert(command.end(), {"--ro-bind", mount.outside, mount.inside});
  }
  command.insert(command.end(), {"--bind", output, CompilerSandbox::kOutput, "--dev", "/dev",
                                 "--tmpfs", "/tmp", "--chdir", CompilerSandbox::kOutput, "--"});
  return command;
}

Result<pid_t> Spawn(const std::vector<std::string>& command, int output) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  char* const no_environment[] = {nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  posix_spawn_file_actions_adddup2(&actions, output, 2);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  pid_t child = -1;
  const int error =
      posix_spawn(&child, argv[0], &actions, &attributes, argv.data(), no_environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    errno = error;
    return Status::FromErrno("start", command[0]);
  }
  return child;
}

// Reads until the other end closes. False at the deadline.
bool ReadAll(int descriptor, Clock::time_point deadline, std::string* output) {
  char buffer[16 << 10];
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd entry{descriptor, POLLIN, 0};
    const int ready = poll(&entry, 1, static_cast<int>(std::min<long long>(left, 60'000)));
    if (ready < 0 && errno != EINTR) return true;
    if (ready <= 0) continue;
    const ssize_t got = read(descriptor, buffer, sizeof buffer);
    if (got == 0) return true;
    if (got < 0) {
      if (errno == EINTR) continue;
      return true;
    }
    const std::size_t room = kMaxOutput - std::min(kMaxOutput, output->size());
    output->append(buffer, std::min(room, static_cast<std::size_t>(got)));
  }
}

}  // namespace

CompilerSandbox::CompilerSandbox(std::vector<CompilerMount> readable, fs::path output,
                                 int cpu_seconds)
    : readable_(std::move(readable)), output_(std::move(output)), cpu_seconds_(cpu_seconds) {}

Result<CompilerRun> CompilerSandbox::Run(const std::vector<std::string>& arguments) const {
  for (const char* program : {kBubblewrap, kLimiter, kCompiler}) {
    if (!fs::exists(program)) {
      return Status(ErrorCode::kNotFound,
                    std::string(program) + " is not installed: run ./kernelmill setup");
    }
  }
  std::vector<std::string> command = SandboxPrefix(readable_, output_, cpu_seconds_);
  command.insert(command.end(), arguments.begin(), arguments.end());

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Status::FromErrno("make", "a pipe");
  Result<pid_t> child = Spawn(command, ends[1]);
  close(ends[1]);
  if (!child.ok()) {
    close(ends[0]);
    return child.status();
  }
  CompilerRun run;
  // On a loaded machine a process gets a fraction of a core.
  const auto deadline = Clock::now() + std::chrono::seconds(10 + 10 * cpu_seconds_);
  const bool finished = ReadAll(ends[0], deadline, &run.output);
  close(ends[0]);
  if (!finished) kill(-*child, SIGKILL);
  int status = 0;
  while (waitpid(*child, &status, 0) < 0 && errno == EINTR) {
  }
  run.exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  // clang's driver reports a compiler that a signal ended with 254 and says so.
  run.hit_limit = !finished || run.exit_status == 128 + SIGXCPU ||
                  run.exit_status == 128 + SIGKILL ||
                  run.output.find("CPU time limit exceeded") != std::string::npos ||
                  run.output.find("unable to execute command: Killed") != std::string::npos ||
                  run.output.find("LLVM ERROR: out of memory") != std::string::npos;
  if (run.exit_status != 0 && run.output.starts_with("bwrap: ")) {
    return NoSandbox(run.output.substr(0, run.output.find('\n')));
  }
  return run;
}

}  // namespace kernelmill
