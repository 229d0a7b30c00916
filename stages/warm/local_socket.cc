#include "stages/warm/local_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "stages/engine/interrupt.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr int kBacklog = 64;

// Calls `use` with the address of a socket file. An address has 108 bytes, so it names the folder
// by its descriptor.
template <class Use>
Status WithAddress(const std::string& folder, const std::string& name, const Use& use) {
  const int inside = open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (inside < 0) return Status::FromErrno("cannot open", folder);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = "/proc/self/fd/" + std::to_string(inside) + "/" + name;
  Status status;
  if (path.size() >= sizeof(address.sun_path)) {
    status = Status(ErrorCode::kInternal, name + " is too long for the name of a socket");
  } else {
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    status = use(reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  close(inside);
  return status;
}

bool IsOfThisUser(int descriptor) {
  ucred other = {};
  socklen_t size = sizeof other;
  return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 &&
         other.uid == geteuid();
}

}  // namespace

LocalSocket::~LocalSocket() {
  if (descriptor_ >= 0) close(descriptor_);
}

LocalSocket::LocalSocket(LocalSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

Result<LocalSocket> LocalSocket::Listen(const std::string& folder, const std::string& name) {
  const std::string path = folder + "/" + name;
  // Whoever may enter the folder may connect.
  if (chmod(folder.c_str(), S_IRWXU) != 0)
    return Status::FromErrno("cannot close to others", folder);
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return Status::FromErrno("cannot remove", path);
  LocalSocket made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (made.descriptor_ < 0) return Status::FromErrno("cannot make a socket for", path);
  KM_RETURN_IF_ERROR(WithAddress(folder, name, [&](const sockaddr* address, socklen_t size) {
    if (bind(made.descriptor_, address, size) == 0 && listen(made.descriptor_, kBacklog) == 0) {
      return Status::Ok();
    }
    return Status::FromErrno("cannot listen at", path);
  }));
  return made;
}

Result<std::optional<LocalSocket>> LocalSocket::Connect(const std::string& folder,
                                                        const std::string& name) {
  LocalSocket made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (made.descriptor_ < 0) return Status::FromErrno("cannot make a socket for", folder);
  bool nobody = false;
  KM_RETURN_IF_ERROR(WithAddress(folder, name, [&](const sockaddr* address, socklen_t size) {
    if (connect(made.descriptor_, address, size) == 0) return Status::Ok();
    nobody = errno == ENOENT || errno == ECONNREFUSED;
    return nobody ? Status::Ok() : Status::FromErrno("cannot connect to", folder + "/" + name);
  }));
  if (nobody) return std::optional<LocalSocket>();
  if (!IsOfThisUser(made.descriptor_)) {
    return Status(ErrorCode::kSandbox, folder + "/" + name + " belongs to another user's process");
  }
  return std::optional(std::move(made));
}

std::optional<LocalSocket> LocalSocket::Accept(std::chrono::milliseconds patience) const {
  if (WaitFor(descriptor_, POLLIN, patience) != Waited::kReady) return std::nullopt;
  LocalSocket made(accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC));
  if (made.descriptor_ < 0 || !IsOfThisUser(made.descriptor_)) return std::nullopt;
  return made;
}

Status LocalSocket::SendPart(std::string_view part, std::chrono::milliseconds patience) const {
  while (!part.empty()) {
    const Waited waited = WaitFor(descriptor_, POLLOUT, patience);
    if (waited == Waited::kInterrupted) return InterruptedStatus();
    if (waited == Waited::kLate) {
      return Status(ErrorCode::kWorker, "the other process takes no message");
    }
    const ssize_t sent = send(descriptor_, part.data(), part.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
      return Status(ErrorCode::kWorker, "the other process has ended");
    }
    if (sent > 0) part.remove_prefix(static_cast<std::size_t>(sent));
  }
  return Status::Ok();
}

Status LocalSocket::Send(std::string_view rest, std::chrono::milliseconds patience) const {
  KM_RETURN_IF_ERROR(SendPart(rest, patience));
  shutdown(descriptor_, SHUT_WR);
  return Status::Ok();
}

Result<std::optional<std::string>> LocalSocket::Receive(std::chrono::milliseconds patience) const {
  std::string message;
  const auto end = std::chrono::steady_clock::now() + patience;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    const Waited waited = WaitFor(descriptor_, POLLIN, std::max(left, left.zero()));
    if (waited == Waited::kInterrupted) return InterruptedStatus();
    if (waited == Waited::kLate) {
      return Status(ErrorCode::kWorker, "the other process sends no message");
    }
    char bytes[1 << 16];
    const ssize_t got = recv(descriptor_, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0) break;  // After the message, or after the end of the other process.
    message.append(bytes, static_cast<std::size_t>(got));
    if (message.size() > kMostBytes) {
      return Status(ErrorCode::kUsage, "a message has more than 64 MiB");
    }
  }
  if (message.empty()) return std::optional<std::string>();
  return std::optional(std::move(message));
}

}  // namespace kernelmill
