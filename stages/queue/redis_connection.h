// One connection to a Redis server. Commands and replies are plain values; hiredis is included in
// the source file alone.
//
// Not thread-safe: each thread has a connection of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/status.h"
#include "stages/queue/redis_address.h"

namespace kernelmill {

// The words of a command: {"XACK", "stream", "group", "1-1"}.
using RedisCommand = std::vector<std::string>;

struct RedisReply {
  enum class Kind { kNothing, kText, kNumber, kList, kError };

  Kind kind = Kind::kNothing;
  std::string text;  // Of kText and kError.
  std::int64_t number = 0;
  std::vector<RedisReply> items;

  // Whether it is an error that begins with this word, such as "NOGROUP".
  bool IsError(std::string_view word) const;
  // The item at this position; a reply "nothing" if there is none.
  const RedisReply& At(std::size_t position) const;
};

class RedisConnection {
 public:
  // Connects, names the password and selects the database. kUnreachable if nothing answers there;
  // kUsage if what answers is no Redis server, or refuses the password or the database.
  static Result<RedisConnection> Open(const RedisAddress& address);

  // Sends all commands at once, and returns their replies in order. A reply may be an error, but
  // those that say that the server cannot work now, or that a client may not use it, are a Status:
  // kUnreachable, or kUsage. After kUnreachable the connection is of no use any more.
  Result<std::vector<RedisReply>> Ask(const std::vector<RedisCommand>& commands);

 private:
  struct Closer {
    void operator()(void* context) const;
  };
  RedisConnection(std::string server, void* context)
      : server_(std::move(server)), context_(context) {}

  std::string server_;  // For messages.
  std::unique_ptr<void, Closer> context_;
};

}  // namespace kernelmill
