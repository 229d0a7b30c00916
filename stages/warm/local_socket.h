// Sockets between processes of one user on this machine. One side sends a whole message and closes
// its half of the connection; the other side reads until then. Only this file uses them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

// One end of a connection, or a listening socket. Not thread-safe.
class LocalSocket {
 public:
  // Replaces the socket file `name` of `folder`, which only this user may enter. A path of any
  // length is fine.
  static Result<LocalSocket> Listen(const std::string& folder, const std::string& name);
  // Nothing if nobody listens. kSandbox if another user does.
  static Result<std::optional<LocalSocket>> Connect(const std::string& folder,
                                                    const std::string& name);
  explicit LocalSocket(int descriptor) : descriptor_(descriptor) {}
  ~LocalSocket();
  LocalSocket(LocalSocket&& other) noexcept;
  LocalSocket& operator=(LocalSocket&&) = delete;

  // The next connection of this user; nothing after `patience`, or a signal.
  std::optional<LocalSocket> Accept(std::chrono::milliseconds patience) const;
  // Sends a part of the message. kInterrupted after a signal, kWorker after `patience` or if the
  // other side has ended.
  Status SendPart(std::string_view part, std::chrono::milliseconds patience) const;
  // Sends the rest of the message and closes this half.
  Status Send(std::string_view rest, std::chrono::milliseconds patience) const;
  // The other side's message, at most 64 MiB; nothing if the other side has ended without one.
  // kInterrupted after a signal, kWorker after `patience`.
  Result<std::optional<std::string>> Receive(std::chrono::milliseconds patience) const;

 private:
  int descriptor_;
};

}  // namespace kernelmill
