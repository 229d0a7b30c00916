// The HTTP client: sends requests, several at a time on one thread, and hands the bytes of each
// reply on as they come. Only this module uses libcurl. It follows no redirect, so that a key in a
// header never reaches another server. It uses the proxy that the environment names (https_proxy,
// no_proxy), and trusts the authorities of the system, or those of SSL_CERT_FILE.
//
// Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

enum class HttpMethod { kPost, kPut, kGet, kHead };

// Signs a transfer with AWS's Signature Version 4. All headers that the caller gives are signed.
struct HttpSignature {
  std::string region;
  std::string service;  // "s3".
  std::string key_id, secret;
};

struct HttpTransfer {
  std::int64_t id = 0;  // The caller's name for it.
  HttpMethod method = HttpMethod::kPost;
  std::string url;  // http or https.
  std::vector<std::string> headers;
  std::string body;  // Of kPost, which is JSON, and kPut.
  // Of kPut: the file whose bytes are sent in place of `body`.
  std::string body_file;
  std::optional<HttpSignature> signature;
  // Gets the bytes of the reply's body, with its status. If it returns false, the transfer ends as
  // kStopped.
  std::function<bool(int status, std::string_view bytes)> read;
};

// How a transfer ended. Only kWhole has a status that counts and a complete body.
enum class HttpEnd {
  kWhole,
  kUnreachable,  // No connection.
  kUntrusted,    // The server has no certificate that can be trusted.
  kDropped,      // The connection ended before the reply did.
  kSilent,       // The server sent no byte, or took none, for too long.
  kStopped,      // `read` returned false.
};

struct HttpReply {
  std::int64_t id = 0;  // HttpTransfer::id.
  HttpEnd end = HttpEnd::kDropped;
  int status = 0;
  std::string problem;                         // A clause on what went wrong; empty for kWhole.
  std::map<std::string, std::string> headers;  // By their names in lower case.
  // How long the server asks to wait: the headers retry-after-ms and Retry-After (RFC 9110).
  std::optional<std::chrono::milliseconds> retry_after;

  // The value of a header; "" without one.
  std::string Header(const std::string& name) const;
};

class HttpClient {
 public:
  // A transfer ends as kSilent when the server sends nothing for `silence`.
  static Result<HttpClient> Create(std::chrono::seconds silence);
  ~HttpClient();  // Ends every transfer.
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;

  // Begins a transfer. kNotFound or kIo when its file cannot be read.
  Status Start(HttpTransfer transfer);
  // Moves all transfers on: waits until something happens to one of them or `descriptor` can be
  // read, but not longer than `patience`. Returns those that ended.
  Result<std::vector<HttpReply>> Wait(std::chrono::milliseconds patience, int descriptor);

 private:
  struct State;
  explicit HttpClient(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kernelmill
