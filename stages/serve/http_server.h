// The HTTP server of `serve`, HTTP/1.1 without TLS. Only http_server.cc uses Boost.Beast. It limits
// what a client can hold: the size of headers and body, the time for sending a request and for
// taking the response, and the number of connections. What it refuses gets a response too.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "manifests/status.h"
#include "stages/serve/http_message.h"

namespace kernelmill {

struct HttpLimits {
  std::uint32_t header_bytes = 16 << 10;
  std::uint64_t body_bytes = 4 << 20;
  // For sending the header, and then the body, of a request.
  std::chrono::milliseconds reading{20'000};
  std::chrono::milliseconds writing{30'000};  // For taking a response.
  std::chrono::milliseconds idle{120'000};    // Between two requests.
  // Connections beyond this number get 503; of those, there can be as many at a time.
  std::size_t connections = 256;
};

class HttpServer {
 public:
  // Listens on a numeric address; port 0: a free one. kUsage if the address is malformed, kBusy if
  // the port is taken. `handler` must outlive the server.
  static Result<std::unique_ptr<HttpServer>> Listen(const std::string& address, std::uint16_t port,
                                                    const HttpLimits& limits, HttpHandler* handler);
  ~HttpServer();  // Stop().

  // Begins to accept connections.
  void Start(int threads);
  // Accepts no more connections, ends those without a request, lets the others take their response,
  // and returns when there are none left, at the latest after `patience`.
  void Stop(std::chrono::milliseconds patience);

  std::uint16_t port() const;
  std::size_t connections() const;

  struct State;

 private:
  explicit HttpServer(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

// Whether a numeric address can be reached from this machine only. kUsage if it is malformed.
Result<bool> IsLoopback(const std::string& address);

}  // namespace kernelmill
