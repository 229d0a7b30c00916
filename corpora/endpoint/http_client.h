// The HTTP client: posts JSON to a server, several requests at a time on one thread, and hands the
// bytes of each reply on as they come. Only this module uses libcurl. It follows no redirect, so
// that a key in a header never reaches another server. It uses the proxy that the environment names
// (https_proxy, no_proxy), and trusts the authorities of the system, or those of SSL_CERT_FILE.
//
// Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

struct HttpPost {
  std::int64_t id = 0;  // The caller's name for it.
  std::string url;      // http or https.
  std::vector<std::string> headers;
  std::string body;
  // Gets the bytes of the reply's body, whatever its status. If it returns false, the transfer ends
  // as kStopped.
  std::function<bool(std::string_view bytes)> read;
};

// How a transfer ended. Only kWhole has a status that counts and a complete body.
enum class HttpEnd {
  kWhole,
  kUnreachable,  // No connection.
  kUntrusted,    // The server has no certificate that can be trusted.
  kDropped,      // The connection ended before the reply did.
  kSilent,       // The server sent no byte for too long.
  kStopped,      // `read` returned false.
};

struct HttpReply {
  std::int64_t id = 0;  // HttpPost::id.
  HttpEnd end = HttpEnd::kDropped;
  int status = 0;
  std::string problem;     // A clause on what went wrong; empty for kWhole.
  std::string request_id;  // The header x-request-id; "" without one.
  std::string location;    // Where a redirect leads.
  // How long the server asks to wait: the headers retry-after-ms and Retry-After (RFC 9110).
  std::optional<std::chrono::milliseconds> retry_after;
};

class HttpClient {
 public:
  // A transfer ends as kSilent when the server sends nothing for `silence`.
  static Result<HttpClient> Create(std::chrono::seconds silence);
  ~HttpClient();  // Ends every transfer.
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;

  // Begins a transfer.
  Status Start(HttpPost post);
  // Moves all transfers on: waits until something happens to one of them or `descriptor` can be
  // read, but not longer than `patience`. Returns those that ended.
  Result<std::vector<HttpReply>> Wait(std::chrono::milliseconds patience, int descriptor);

 private:
  struct State;
  explicit HttpClient(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kernelmill
