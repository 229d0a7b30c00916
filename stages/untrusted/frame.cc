#include "stages/untrusted/frame.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "stages/engine/interrupt.h"

namespace kernelmill {
namespace {

constexpr std::uint64_t kLargestFrame = std::uint64_t{1} << 31;

bool WriteAll(int socket, const char* bytes, std::size_t count) {
  while (count > 0) {
    if (WaitFor(socket, POLLOUT) != Waited::kReady) return false;
    const ssize_t done = send(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (done <= 0) return false;
    bytes += done;
    count -= static_cast<std::size_t>(done);
  }
  return true;
}

bool ReadAll(int socket, char* bytes, std::size_t count) {
  while (count > 0) {
    if (WaitFor(socket, POLLIN) != Waited::kReady) return false;
    const ssize_t done = read(socket, bytes, count);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    count -= static_cast<std::size_t>(done);
  }
  return true;
}

}  // namespace

bool WriteFrame(int socket, std::string_view bytes) {
  const std::uint64_t size = bytes.size();
  return WriteAll(socket, reinterpret_cast<const char*>(&size), sizeof size) &&
         WriteAll(socket, bytes.data(), bytes.size());
}

bool ReadFrame(int socket, std::string* bytes) {
  std::uint64_t size = 0;
  if (!ReadAll(socket, reinterpret_cast<char*>(&size), sizeof size) || size > kLargestFrame) {
    return false;
  }
  bytes->resize(size);
  return ReadAll(socket, bytes->data(), size);
}

}  // namespace kernelmill
