#include "stages/mine/mining_child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "stages/engine/interrupt.h"
#include "stages/untrusted/confinement.h"
#include "stages/untrusted/sanitizers.h"

namespace kernelmill {
namespace {

constexpr rlim_t kSecondsPerRequest = 60;  // Of processor time, so that load does not matter.
constexpr std::uint64_t kLargestFrame = std::uint64_t{1} << 31;

// Waits for the other side no longer than until the run is asked to stop; in the child, which
// handles no signals, for ever.
bool WriteAll(int file, const char* bytes, std::size_t count) {
  while (count > 0) {
    if (WaitFor(file, POLLOUT) != Waited::kReady) return false;
    const ssize_t done = send(file, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (done <= 0) return false;
    bytes += done;
    count -= static_cast<std::size_t>(done);
  }
  return true;
}

bool ReadAll(int file, char* bytes, std::size_t count) {
  while (count > 0) {
    if (WaitFor(file, POLLIN) != Waited::kReady) return false;
    const ssize_t done = read(file, bytes, count);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    count -= static_cast<std::size_t>(done);
  }
  return true;
}

// A frame is its length in the machine's own byte order and then its bytes.
bool WriteFrame(int file, std::string_view bytes) {
  const std::uint64_t size = bytes.size();
  return WriteAll(file, reinterpret_cast<const char*>(&size), sizeof size) &&
         WriteAll(file, bytes.data(), bytes.size());
}

bool ReadFrame(int file, std::string* bytes) {
  std::uint64_t size = 0;
  if (!ReadAll(file, reinterpret_cast<char*>(&size), sizeof size) || size > kLargestFrame) {
    return false;
  }
  bytes->resize(size);
  return ReadAll(file, bytes->data(), size);
}

void LimitMemory() {
  constexpr rlim_t kMemoryLimit = rlim_t{4} << 30;  // The largest file needs far less.
  const rlimit memory{kMemoryLimit, kMemoryLimit};
  if (!kSanitized) setrlimit(RLIMIT_AS, &memory);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

void AllowNextRequest() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  rlimit cpu{};
  getrlimit(RLIMIT_CPU, &cpu);
  cpu.rlim_cur =
      static_cast<rlim_t>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + kSecondsPerRequest + 1;
  setrlimit(RLIMIT_CPU, &cpu);
}

std::string FolderOf(const Json& request) {
  const Json* folder = request.Find("git_dir");
  return folder == nullptr ? "" : folder->as_string();
}

}  // namespace

int RunMiningChild() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  LimitMemory();
  // The first frame names the folder, the answer says that the walls are up.
  std::string folder;
  if (!ReadFrame(STDIN_FILENO, &folder)) return 1;
  const Status confined = Confine(folder);
  if (!WriteFrame(STDIN_FILENO, confined.message()) || !confined.ok()) return 1;
  MiningService service;
  std::string request;
  while (ReadFrame(STDIN_FILENO, &request)) {
    AllowNextRequest();
    const MiningReply reply = service.Handle(request);
    if (!WriteFrame(STDIN_FILENO, reply.EncodeHead()) || !WriteFrame(STDIN_FILENO, reply.body)) {
      return 1;
    }
  }
  return 0;
}

MiningChild::MiningChild(std::string program) : program_(std::move(program)) {}
MiningChild::~MiningChild() { Stop(); }

Status MiningChild::Start(const std::string& folder) {
  KM_RETURN_IF_ERROR(Spawn());
  std::string trouble;
  if (!WriteFrame(socket_, folder) || !ReadFrame(socket_, &trouble)) {
    Stop();
    if (Interrupted()) return InterruptedStatus();
    return Status(ErrorCode::kWorker, "a mining child ended before it was asked anything");
  }
  if (!trouble.empty()) {
    Stop();
    return Status(ErrorCode::kSandbox, trouble);
  }
  folder_ = folder;
  return Status::Ok();
}

Status MiningChild::Spawn() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Status::FromErrno("socketpair", "for a mining child");
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  char name[] = "kernelmill", mode[] = "mine-child", locale[] = "LC_ALL=C";
  // Arrow's allocator makes a thread as soon as its library is loaded, and Landlock confines only
  // the thread that asks for it.
  char threads[] = "JE_ARROW_MALLOC_CONF=background_thread:false";
  char* arguments[] = {name, mode, nullptr};
  char* environment[] = {locale, threads, nullptr};
  const int error =
      posix_spawn(&child_, program_.c_str(), &actions, nullptr, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    child_ = 0;
    return Status(ErrorCode::kWorker,
                  "cannot start a mining child: " + std::string(std::strerror(error)));
  }
  socket_ = ends[0];
  return Status::Ok();
}

void MiningChild::Stop() {
  if (child_ == 0) return;
  close(socket_);
  kill(child_, SIGKILL);
  int state = 0;
  while (waitpid(child_, &state, 0) < 0 && errno == EINTR) {
  }
  child_ = 0;
}

Result<MiningReply> MiningChild::Ask(const Json& request) {
  const std::string text = request.Dump();
  if (program_.empty()) return service_.Handle(text);
  const std::string folder = FolderOf(request);
  if (!folder.empty() && folder != folder_) Stop();
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (child_ == 0) KM_RETURN_IF_ERROR(Start(folder));
    std::string head, body;
    if (WriteFrame(socket_, text) && ReadFrame(socket_, &head) && ReadFrame(socket_, &body)) {
      return MiningReply::Decode(head, std::move(body));
    }
    Stop();
    if (Interrupted()) return InterruptedStatus();
  }
  MiningReply reply;
  reply.reason = "parser_crashed";
  reply.detail = "the process that worked on it died twice";
  reply.rejected = true;
  return reply;
}

CommitReader ReadCommitsIn(MiningChild& child) {
  return [&child](const std::string& git_dir, const std::string& revision) -> Result<std::string> {
    KM_ASSIGN(MiningReply reply, child.Ask(MiningService::CommitRequest(git_dir, revision)));
    if (reply.reason.empty()) return std::move(reply.body);
    return Status(reply.reason == "missing_object" ? ErrorCode::kNotFound : ErrorCode::kCorrupt,
                  reply.detail);
  };
}

}  // namespace kernelmill
