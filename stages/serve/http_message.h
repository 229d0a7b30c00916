// What the HTTP server (http_server.h) and who answers its requests exchange.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace kernelmill {

struct HttpRequest {
  std::string method;  // "POST".
  std::string target;  // "/v1/verify": the path with the query, as the client has sent it.
  // Headers; empty without one.
  std::string host, authorization, content_type;
  std::string body;
};

struct HttpResponse {
  int status = 200;
  std::string body;
  std::string content_type = "application/json";
  std::optional<int> retry_after;  // Seconds.
  std::string allow;               // The method that the path has, for 405.
  bool closes = false;             // Whether the connection ends with it.
};

// Gets the response to a request, once, from any thread.
using SendResponse = std::function<void(HttpResponse response)>;

// Answers requests. Thread-safe.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Must not wait. Returns what to call if the client goes away before the reply; may be empty.
  virtual std::function<void()> Handle(HttpRequest request, SendResponse reply) = 0;
  // The response to a request that cannot be read (400, 408, 413, 431), or to a connection beyond
  // the limit (503).
  virtual HttpResponse Refuse(int status, const std::string& why) = 0;
};

}  // namespace kernelmill
