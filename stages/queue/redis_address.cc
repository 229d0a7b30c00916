#include "stages/queue/redis_address.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace kernelmill {
namespace {

constexpr std::string_view kScheme = "redis://";

// A whole number from `least` to `most`, or -1.
int NumberOf(std::string_view text, int least, int most) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && number >= least && number <= most ? number : -1;
}

}  // namespace

Result<RedisAddress> RedisAddress::Parse(const std::string& url) {
  const auto refused = [](const std::string& why) {
    return Status(ErrorCode::kUsage,
                  "--queue: " + why + "; it has the form redis://HOST[:PORT][/DATABASE]");
  };
  // Before any message that repeats the text: what stands before an @ may be a password.
  if (url.find('@') != url.npos) {
    return refused(std::string("a name or password does not stand in it, but in the variable ") +
                   kPasswordVariable);
  }
  if (!url.starts_with(kScheme)) return refused("'" + url + "' does not begin with redis://");
  std::string_view rest = std::string_view(url).substr(kScheme.size());
  RedisAddress address;
  if (const std::size_t slash = rest.find('/'); slash != rest.npos) {
    const std::string_view database = rest.substr(slash + 1);
    rest = rest.substr(0, slash);
    address.database = database.empty() ? 0 : NumberOf(database, 0, 1'000'000);
    if (address.database < 0) {
      return refused("the database '" + std::string(database) + "' is no number of 0 or more");
    }
  }
  std::size_t end = rest.rfind(':');
  if (rest.starts_with('[')) {
    const std::size_t bracket = rest.find(']');
    if (bracket == rest.npos) return refused("the bracket in '" + url + "' is not closed");
    address.host = rest.substr(1, bracket - 1);
    end = bracket + 1 < rest.size() ? bracket + 1 : rest.npos;
  } else {
    address.host = rest.substr(0, end);
  }
  if (end != rest.npos) {
    const std::string_view port = rest.substr(end + 1);
    address.port = rest[end] == ':' ? NumberOf(port, 1, 65'535) : -1;
    if (address.port < 0) {
      return refused("the port '" + std::string(port) + "' is no number from 1 to 65535");
    }
  }
  if (address.host.empty()) return refused("'" + url + "' names no host");
  const char* const password = std::getenv(kPasswordVariable);
  if (password != nullptr) address.password = password;
  return address;
}

std::string RedisAddress::Text() const {
  const bool is_ipv6 = host.find(':') != host.npos;
  return std::string(kScheme) + (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port) +
         (database > 0 ? "/" + std::to_string(database) : "");
}

}  // namespace kernelmill
