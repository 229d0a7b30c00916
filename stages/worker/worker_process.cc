#include "stages/worker/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "stages/engine/interrupt.h"
#include "stages/engine/spawn.h"

namespace kernelmill {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxFrame = 64 << 20;
constexpr std::size_t kMaxLastWords = 4096;
constexpr std::size_t kMaxFiles = 8;

void CloseIfOpen(int* descriptor) {
  if (*descriptor >= 0) close(*descriptor);
  *descriptor = -1;
}

Status Gone(std::string_view what) {
  return Status(ErrorCode::kWorker, "the torch worker " + std::string(what));
}

// Sends once, with open files attached to the first byte.
ssize_t SendSome(int channel, std::string_view bytes, const std::vector<int>& files) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxFiles)] = {};
  if (!files.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * files.size());
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * files.size());
    std::memcpy(CMSG_DATA(header), files.data(), sizeof(int) * files.size());
  }
  return sendmsg(channel, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

Status ReadExactly(int descriptor, char* out, std::size_t size, Clock::time_point deadline) {
  while (size > 0) {
    // Rounded up: who finds that the deadline has not passed takes the process for dead.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    const Waited waited = WaitFor(descriptor, POLLIN, left);
    if (waited == Waited::kInterrupted) return InterruptedStatus();
    if (waited == Waited::kLate) return Gone("does not answer");
    const ssize_t got = recv(descriptor, out, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Gone("ended");
    out += got;
    size -= static_cast<std::size_t>(got);
  }
  return Status::Ok();
}

}  // namespace

Result<WorkerProcess> WorkerProcess::Spawn(const std::vector<std::string>& command) {
  // All ends are close-on-exec: the worker ends when the channel closes, and a copy in another
  // child would keep it open.
  int channel[2], errors[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0) {
    return Status::FromErrno("make a channel for", command[0]);
  }
  if (pipe2(errors, O_CLOEXEC) != 0) {
    const Status status = Status::FromErrno("make a pipe for", command[0]);
    close(channel[0]);
    close(channel[1]);
    return status;
  }
  WorkerProcess process;
  process.channel_ = channel[0];
  process.errors_ = errors[0];
  const Result<pid_t> child = SpawnApart(command, {.input = channel[1], .errors = errors[1]});
  close(channel[1]);
  close(errors[1]);
  KM_RETURN_IF_ERROR(child.status());
  process.pid_ = *child;
  return process;
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept { *this = std::move(other); }

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(channel_, other.channel_);
  std::swap(errors_, other.errors_);
  return *this;
}

WorkerProcess::~WorkerProcess() {
  End();
  CloseIfOpen(&errors_);
}

void WorkerProcess::End() {
  CloseIfOpen(&channel_);
  if (pid_ < 0) return;
  // The worker ends when the channel closes. If it does not, its process group is killed; this
  // includes process 1 of its namespace, and so all processes that have left the group.
  for (int i = 0; i < 100; ++i) {
    if (waitpid(pid_, nullptr, WNOHANG) != 0) {
      pid_ = -1;
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(-pid_, SIGKILL);
  WaitForEnd(pid_);
  pid_ = -1;
}

Status WorkerProcess::Send(std::string_view frame, const std::vector<int>& files) {
  if (frame.size() > kMaxFrame) return Status(ErrorCode::kInternal, "a request is over 64 MB");
  const auto size = static_cast<std::uint32_t>(frame.size());
  std::string bytes = {static_cast<char>(size >> 24), static_cast<char>(size >> 16),
                       static_cast<char>(size >> 8), static_cast<char>(size)};
  bytes += frame;
  if (files.size() > kMaxFiles) return Status(ErrorCode::kInternal, "a request has over 8 files");
  const std::vector<int>* unsent = &files;
  const std::vector<int> none;
  std::string_view left = bytes;
  while (!left.empty()) {
    if (WaitFor(channel_, POLLOUT) == Waited::kInterrupted) return InterruptedStatus();
    const ssize_t sent = SendSome(channel_, left, *unsent);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent <= 0) return Gone("ended");
    left.remove_prefix(static_cast<std::size_t>(sent));
    unsent = &none;
  }
  return Status::Ok();
}

Result<std::string> WorkerProcess::Receive(std::chrono::milliseconds patience) {
  const Clock::time_point deadline = Clock::now() + patience;
  unsigned char head[4];
  KM_RETURN_IF_ERROR(ReadExactly(channel_, reinterpret_cast<char*>(head), 4, deadline));
  const std::size_t size = std::size_t{head[0]} << 24 | std::size_t{head[1]} << 16 |
                           std::size_t{head[2]} << 8 | std::size_t{head[3]};
  if (size > kMaxFrame) return Gone("sent a frame that is too long");
  std::string frame(size, '\0');
  KM_RETURN_IF_ERROR(ReadExactly(channel_, frame.data(), size, deadline));
  return frame;
}

std::string WorkerProcess::LastWords() {
  End();
  std::string words;
  char buffer[1024];
  while (words.size() < kMaxLastWords) {
    const ssize_t got = read(errors_, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    words.append(buffer, static_cast<std::size_t>(got));
  }
  while (!words.empty() && (words.back() == '\n' || words.back() == ' ')) words.pop_back();
  return words;
}

}  // namespace kernelmill
