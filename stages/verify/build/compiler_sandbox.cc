#include "stages/verify/build/compiler_sandbox.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "stages/engine/interrupt.h"
#include "stages/worker/sandbox.h"
#include "stages/engine/spawn.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr char kLimiter[] = "/usr/bin/prlimit";
constexpr std::size_t kMaxOutput = 256 << 10;
constexpr long kMaxMemory = 6L << 30;  // Address space; a compilation takes about 0.7 GB.
constexpr long kMaxFile = 512L << 20;  // The largest file is torch's precompiled header, 90 MB.

std::vector<std::string> SandboxPrefix(std::string bubblewrap,
                                       const std::vector<CompilerMount>& readable,
                                       const fs::path& output, int cpu_seconds) {
  std::vector<std::string> command = {kLimiter,
                                      "--cpu=" + std::to_string(cpu_seconds),
                                      "--as=" + std::to_string(kMaxMemory),
                                      "--fsize=" + std::to_string(kMaxFile),
                                      "--core=0",
                                      std::move(bubblewrap),
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
                                      "C.UTF-8"};
  AddSystemMounts(&command);
  for (const CompilerMount& mount : readable) {
    command.insert(command.end(), {"--ro-bind", mount.outside, mount.inside});
  }
  command.insert(command.end(), {"--bind", output, CompilerSandbox::kOutput, "--dev", "/dev",
                                 "--tmpfs", "/tmp", "--chdir", CompilerSandbox::kOutput, "--"});
  return command;
}

// Reads until the other end closes, and then returns kReady.
Waited ReadAll(int descriptor, Clock::time_point deadline, std::string* output) {
  char buffer[16 << 10];
  while (true) {
    const Waited waited =
        WaitFor(descriptor, POLLIN,
                std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()));
    if (waited != Waited::kReady) return waited;
    const ssize_t got = read(descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Waited::kReady;
    const std::size_t room = kMaxOutput - std::min(kMaxOutput, output->size());
    output->append(buffer, std::min(room, static_cast<std::size_t>(got)));
  }
}

}  // namespace

CompilerSandbox::CompilerSandbox(std::vector<CompilerMount> readable, fs::path output,
                                 int cpu_seconds)
    : readable_(std::move(readable)), output_(std::move(output)), cpu_seconds_(cpu_seconds) {}

Result<CompilerRun> CompilerSandbox::Run(const std::vector<std::string>& arguments) const {
  KM_ASSIGN(std::string bubblewrap, FindBubblewrap());
  for (const char* program : {kLimiter, kCompiler}) {
    if (!fs::exists(program)) {
      return Status(ErrorCode::kEnvironment,
                    std::string(program) + " is not installed: run ./kernelmill setup");
    }
  }
  std::vector<std::string> command =
      SandboxPrefix(std::move(bubblewrap), readable_, output_, cpu_seconds_);
  command.insert(command.end(), arguments.begin(), arguments.end());

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Status::FromErrno("make", "a pipe");
  const Result<pid_t> child = SpawnApart(command, {.output = ends[1], .errors = ends[1]});
  close(ends[1]);
  if (!child.ok()) {
    close(ends[0]);
    return child.status();
  }
  CompilerRun run;
  // On a loaded machine a process gets a fraction of a core.
  const auto deadline = Clock::now() + std::chrono::seconds(10 + 10 * cpu_seconds_);
  const Waited waited = ReadAll(ends[0], deadline, &run.output);
  close(ends[0]);
  if (waited != Waited::kReady) kill(-*child, SIGKILL);
  const int status = WaitForEnd(*child);
  if (waited == Waited::kInterrupted) return InterruptedStatus();
  run.exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  // If a signal ends the compiler, clang's driver exits with 254 and prints a message.
  run.hit_limit = waited == Waited::kLate || run.exit_status == 128 + SIGXCPU ||
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
