// The address of a Redis server, as the option --queue names it.
#pragma once

#include <string>

#include "manifests/status.h"

namespace kernelmill {

struct RedisAddress {
  // The variable with the server's password. A command line is shown to every user of a machine.
  static constexpr char kPasswordVariable[] = "KERNELMILL_QUEUE_PASSWORD";

  std::string host;
  int port = 6379;
  int database = 0;
  std::string password;  // Empty: the server asks for none.

  // Of "redis://HOST[:PORT][/DATABASE]"; an IPv6 address stands in brackets. The password is that
  // of the variable. kUsage for anything else.
  static Result<RedisAddress> Parse(const std::string& url);
  // The URL, without the password.
  std::string Text() const;
};

}  // namespace kernelmill
