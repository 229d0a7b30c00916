#include "stages/untrusted/untrusted_child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "stages/engine/interrupt.h"
#include "stages/engine/machine_limits.h"
#include "stages/engine/spawn.h"
#include "stages/untrusted/confinement.h"
#include "stages/untrusted/frame.h"
#include "stages/untrusted/sanitizers.h"

namespace kernelmill {
namespace {

// Processor time rather than elapsed time, so that the result does not depend on the machine's
// load.
constexpr rlim_t kSecondsPerRequest = 60;

constexpr rlim_t kMemoryLimit = rlim_t{4} << 30;  // The largest file needs far less.
// Times that an input may end its child by itself, and times that children may end for other
// reasons (another program kills them, memory runs out) before the run is given up.
constexpr int kMostCrashes = 2;
constexpr int kMostOtherEnds = 4;
constexpr std::chrono::milliseconds kPause{500};

void LimitMemory() {
  const rlimit memory{kMemoryLimit, kMemoryLimit};
  if (!kSanitized) setrlimit(RLIMIT_AS, &memory);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

// Raises the limit on processor time for the next request.
void AllowNextRequest() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  rlimit cpu{};
  getrlimit(RLIMIT_CPU, &cpu);
  cpu.rlim_cur =
      static_cast<rlim_t>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + kSecondsPerRequest + 1;
  setrlimit(RLIMIT_CPU, &cpu);
}

}  // namespace

int RunUntrustedChild(std::span<const UntrustedOperation> operations) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  LimitMemory();
  // The first frame names the folder; the answer is empty once the child is confined to it.
  std::string folder;
  if (!ReadFrame(STDIN_FILENO, &folder)) return 1;
  const Status confined = ConfineProcess(folder);
  if (!WriteFrame(STDIN_FILENO, confined.message()) || !confined.ok()) return 1;
  OpenRepository repository;
  std::string request;
  while (ReadFrame(STDIN_FILENO, &request)) {
    AllowNextRequest();
    const UntrustedReply reply = HandleRequest(operations, request, repository);
    if (!WriteFrame(STDIN_FILENO, reply.EncodeHead()) || !WriteFrame(STDIN_FILENO, reply.body)) {
      return 1;
    }
  }
  return 0;
}

UntrustedChild::UntrustedChild(std::string program) : program_(std::move(program)) {}
UntrustedChild::~UntrustedChild() { Stop(); }

Status UntrustedChild::Start(const std::string& folder) {
  KM_RETURN_IF_ERROR(Spawn());
  std::string trouble;
  if (!WriteFrame(socket_, folder) || !ReadFrame(socket_, &trouble)) {
    Stop();
    if (Interrupted()) return InterruptedStatus();
    return Status(ErrorCode::kWorker, "the parser process ended before its first request");
  }
  if (!trouble.empty()) {
    Stop();
    return Status(ErrorCode::kSandbox, trouble);
  }
  folder_ = folder;
  return Status::Ok();
}

Status UntrustedChild::Spawn() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Status::FromErrno("socketpair", "for the parser process");
  }
  // Arrow's allocator starts a thread as soon as its library is loaded, and Landlock confines only
  // the thread that asks for it.
  const Result<pid_t> child =
      SpawnApart({program_, kUntrustedChildCommand}, {.input = ends[1]},
                 {"LC_ALL=C", "JE_ARROW_MALLOC_CONF=background_thread:false"});
  close(ends[1]);
  if (!child.ok()) {
    close(ends[0]);
    return Status(ErrorCode::kWorker,
                  "cannot start the parser process: " + child.status().message());
  }
  child_ = *child;
  socket_ = ends[0];
  return Status::Ok();
}

void UntrustedChild::Stop() {
  if (child_ == 0) return;
  close(socket_);
  kill(child_, SIGKILL);
  WaitForEnd(child_);
  child_ = 0;
}

bool UntrustedChild::AwaitEnd() {
  close(socket_);
  int status = 0;
  // A child that something has taken over may close its socket and stay.
  bool stays = true;
  for (int i = 0; i < 100 && stays; ++i) {
    stays = waitpid(child_, &status, WNOHANG) == 0;
    if (stays) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  if (stays) {
    kill(child_, SIGKILL);
    WaitForEnd(child_);
  }
  child_ = 0;
  if (stays) return true;
  // abort() is what a parser does that finds no memory.
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) return MachineGives(kMemoryLimit);
  return !WasKilled(status);
}

Result<UntrustedReply> UntrustedChild::Ask(const UntrustedOperation& operation,
                                           Json::Object request) {
  request["op"] = operation.name;
  const Json json(std::move(request));
  if (program_.empty()) return RunOperation(operation, json, repository_);
  const std::string text = json.Dump();
  const std::string folder = json.TextAt("git_dir");
  if (!folder.empty() && folder != folder_) Stop();
  Status trouble;
  for (int crashes = 0, others = 0; others < kMostOtherEnds;) {
    if (others > 0 && Pause(kPause) == Waited::kInterrupted) return InterruptedStatus();
    if (child_ == 0) {
      trouble = Start(folder);
      if (trouble.code() == ErrorCode::kWorker) {
        ++others;
        continue;
      }
      KM_RETURN_IF_ERROR(trouble);
    }
    std::string head, body;
    if (WriteFrame(socket_, text) && ReadFrame(socket_, &head) && ReadFrame(socket_, &body)) {
      KM_ASSIGN(UntrustedReply reply, UntrustedReply::Decode(head, std::move(body)));
      if (reply.reason != UntrustedReply::kNotRead) return reply;
      Stop();
      trouble = Status(ErrorCode::kWorker, reply.detail);
      ++others;
      continue;
    }
    if (Interrupted()) {
      Stop();
      return InterruptedStatus();
    }
    if (!AwaitEnd()) {
      trouble = Status(ErrorCode::kWorker, "the parser process was ended from outside");
      ++others;
    } else if (++crashes == kMostCrashes) {
      return UntrustedReply::Reject("parser_crashed", "the process that worked on it died twice",
                                    "");
    }
  }
  return Status(ErrorCode::kWorker,
                trouble.message() + ", " + std::to_string(kMostOtherEnds) +
                    " times; no input is to blame. Where memory runs out, the kernel ends "
                    "processes (dmesg says so): free some, or use fewer --jobs, and run the same "
                    "command again");
}

}  // namespace kernelmill
