#include "stages/verify/build/compiler_sandbox.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "manifests/shortage.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/machine_limits.h"
#include "stages/engine/spawn.h"
#include "stages/worker/sandbox.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr char kLimiter[] = "/usr/bin/prlimit";
constexpr std::size_t kMaxOutput = 256 << 10;
constexpr std::size_t kKeptEnd = 8 << 10;
constexpr rlim_t kMaxMemory = rlim_t{6} << 30;  // Address space; a compilation takes about 0.7 GB.
constexpr rlim_t kMaxFile = rlim_t{512} << 20;  // torch's precompiled header, the largest, is 90 MB.
// At its limit a process gets SIGXCPU, which no other program sends by chance, and SIGKILL if that
// does not end it.
constexpr int kSecondsToEnd = 5;
constexpr std::uintmax_t kLeastRoom = 16 << 20;
// A compiler that was ended from outside is started again after each of these pauses.
constexpr std::chrono::milliseconds kPauses[] = {std::chrono::milliseconds(100),
                                                 std::chrono::seconds(1), std::chrono::seconds(5)};

std::vector<std::string> SandboxPrefix(std::string bubblewrap,
                                       const std::vector<CompilerMount>& readable,
                                       const fs::path& output, int cpu_seconds) {
  std::vector<std::string> command = {kLimiter,
                                      "--cpu=" + std::to_string(cpu_seconds) + ":" +
                                          std::to_string(cpu_seconds + kSecondsToEnd),
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

// prlimit cannot raise the limits that this process has itself, and compilers that reach those say
// that a source is at fault.
Status CheckLimit(__rlimit_resource which, rlim_t needed, const char* what, const char* option) {
  rlimit limit{};
  if (getrlimit(which, &limit) != 0 || limit.rlim_max >= needed) return Status::Ok();
  return Status(ErrorCode::kWorker, "compilers need more than the limit on " + std::string(what) +
                                        " (ulimit " + option + ") gives them; raise it to " +
                                        std::to_string(needed) +
                                        " at least, and run the same command again");
}

// Reads until the other end closes, and then returns kReady. `output` gets the beginning of what is
// read, `end` its end.
Waited ReadAll(int descriptor, Clock::time_point deadline, std::string* output, std::string* end) {
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
    end->append(buffer, static_cast<std::size_t>(got));
    if (end->size() > 2 * kKeptEnd) end->erase(0, end->size() - kKeptEnd);
  }
}

// What clang's driver says last of a program that it ran: "Killed", "Segmentation fault" or
// "posix_spawn failed: …". Nothing if it says nothing. Diagnostics of a source can look the same,
// but the count of errors follows them.
std::string TroubleOf(std::string_view end) {
  constexpr std::string_view kTrouble = "error: unable to execute command: ";
  const std::size_t at = end.rfind(kTrouble);
  if (at == end.npos || end.find(" generated.\n", at) != end.npos) return {};
  const std::string_view line = end.substr(end.substr(0, at).rfind('\n') + 1);
  if (!line.starts_with("clang")) return {};
  const std::string_view rest = end.substr(at + kTrouble.size());
  return std::string(rest.substr(0, rest.find('\n')));
}

// Whether the whole output is a message of bubblewrap: the program inside was not started.
bool IsBubblewraps(std::string_view output) {
  return output.starts_with("bwrap: ") && output.find('\n') >= output.size() - 1;
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
  KM_RETURN_IF_ERROR(CheckLimit(RLIMIT_CPU, static_cast<rlim_t>(cpu_seconds_ + kSecondsToEnd),
                                "processor time", "-t"));
  KM_RETURN_IF_ERROR(CheckLimit(RLIMIT_AS, kMaxMemory, "addresses", "-v"));
  KM_RETURN_IF_ERROR(CheckLimit(RLIMIT_FSIZE, kMaxFile, "file sizes", "-f"));
  std::vector<std::string> command =
      SandboxPrefix(std::move(bubblewrap), readable_, output_, cpu_seconds_);
  command.insert(command.end(), arguments.begin(), arguments.end());

  std::string why;
  for (const std::chrono::milliseconds pause : kPauses) {
    CompilerRun run;
    KM_ASSIGN(why, RunOnce(command, &run));
    if (why.empty()) return run;
    if (Pause(pause) == Waited::kInterrupted) return InterruptedStatus();
  }
  CompilerRun run;
  KM_ASSIGN(why, RunOnce(command, &run));
  if (why.empty()) return run;
  return Status(ErrorCode::kWorker,
                fs::path(arguments[0]).filename().string() + " came to no end of its own, " +
                    std::to_string(std::size(kPauses) + 1) + " times: " + why +
                    ". The kernel does so where memory runs out (dmesg says so); free some, or use "
                    "fewer --jobs, and run the same command again");
}

Result<std::string> CompilerSandbox::RunOnce(const std::vector<std::string>& command,
                                             CompilerRun* run) const {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Status::FromErrno("make", "a pipe");
  const Result<pid_t> child = SpawnApart(command, {.output = ends[1], .errors = ends[1]});
  close(ends[1]);
  if (!child.ok()) {
    close(ends[0]);
    return child.status();
  }
  // On a loaded machine a process gets a fraction of a core.
  const auto deadline = Clock::now() + std::chrono::seconds(10 + 10 * cpu_seconds_);
  std::string last;
  const Waited waited = ReadAll(ends[0], deadline, &run->output, &last);
  close(ends[0]);
  // Programs that have used less than the processor time of one did not get it from the machine.
  const bool busy = waited == Waited::kLate &&
                    ProcessorTimeBelow(*child) >= std::chrono::seconds(cpu_seconds_);
  if (waited != Waited::kReady) kill(-*child, SIGKILL);
  const int status = WaitForEnd(*child);
  if (waited == Waited::kInterrupted) return InterruptedStatus();
  if (waited == Waited::kLate) {
    run->exit_status = 128 + SIGKILL;
    run->hit_limit = busy;
    return busy ? std::string() : "this machine gave it too little processor time";
  }
  run->exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (run->exit_status == 0) return std::string();
  if (IsBubblewraps(run->output)) {
    if (NamesShortage(run->output)) return run->output;
    return NoSandbox(run->output.substr(0, run->output.find('\n')));
  }
  // bubblewrap ends as the program in it does; clang's driver reports the ends of its programs.
  const std::string trouble = TroubleOf(last);
  const int signal = run->exit_status - 128;
  if (trouble.starts_with("CPU time limit exceeded") || signal == SIGXCPU) {
    run->hit_limit = true;
    return std::string();
  }
  if (signal > 0 && signal < NSIG && ComesFromOutside(signal)) {
    return "it was ended by the signal " + std::to_string(signal);
  }
  for (const char* foreign : {"Killed", "Terminated", "Hangup", "posix_spawn failed"}) {
    if (trouble.starts_with(foreign)) return trouble;
  }
  if (last.find("LLVM ERROR: out of memory") != std::string::npos) {
    if (!MachineGives(kMaxMemory)) return std::string("it found no memory");
    run->hit_limit = true;
  }
  std::error_code error;
  const fs::space_info space = fs::space(output_, error);
  if (!error && space.available < kLeastRoom) {
    errno = ENOSPC;
    return Status::FromErrno("cannot compile in", output_.string());
  }
  return std::string();
}

}  // namespace kernelmill
