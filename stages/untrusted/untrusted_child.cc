#include "stages/untrusted/untrusted_child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "stages/engine/interrupt.h"
#include "stages/engine/spawn.h"
#include "stages/untrusted/confinement.h"
#include "stages/untrusted/frame.h"
#include "stages/untrusted/sanitizers.h"

namespace kernelmill {
namespace {

// Processor time rather than elapsed time, so that the result does not depend on the machine's
// load.
constexpr rlim_t kSecondsPerRequest = 60;

void LimitMemory() {
  constexpr rlim_t kMemoryLimit = rlim_t{4} << 30;  // The largest file needs far less.
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

Result<UntrustedReply> UntrustedChild::Ask(const UntrustedOperation& operation,
                                           Json::Object request) {
  request["op"] = operation.name;
  const Json json(std::move(request));
  if (program_.empty()) return RunOperation(operation, json, repository_);
  const std::string text = json.Dump();
  const std::string folder = json.TextAt("git_dir");
  if (!folder.empty() && folder != folder_) Stop();
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (child_ == 0) KM_RETURN_IF_ERROR(Start(folder));
    std::string head, body;
    if (WriteFrame(socket_, text) && ReadFrame(socket_, &head) && ReadFrame(socket_, &body)) {
      return UntrustedReply::Decode(head, std::move(body));
    }
    Stop();
    if (Interrupted()) return InterruptedStatus();
  }
  return UntrustedReply::Reject("parser_crashed", "the process that worked on it died twice", "");
}

}  // namespace kernelmill
