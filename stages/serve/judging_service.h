// Answers the requests to `serve`:
//
//   POST /v1/verify         judges one candidate or several (verify_request.h)
//   GET  /v1/verdicts/KEY   a verdict that was given before
//   GET  /metrics           counts in Prometheus' text format
//   GET  /healthz           200 while new candidates are judged, 503 afterwards
//
// What the verdict store holds is answered at once; for other candidates a request waits in the
// queue (judging_queue.h). A failure of this machine is 503, and never a verdict. Thread-safe.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "stages/serve/access_token.h"
#include "stages/serve/http_message.h"
#include "stages/serve/judging_queue.h"
#include "stages/serve/known_verdicts.h"
#include "stages/serve/service_metrics.h"
#include "stages/serve/verify_request.h"

namespace kernelmill {

class JudgingService : public HttpHandler {
 public:
  struct Options {
    RequestRules rules;
    AccessToken token;  // If it is set, every request but to /healthz must name it.
    // Whether only this machine can ask. Requests must then name it as their host: otherwise a page
    // in a browser here could ask by a name of its own.
    bool is_loopback = true;
    JudgingQueue::Options queue;
    // The stored verdict on a request, and that with a key of 64 hexadecimal digits.
    std::function<std::optional<KnownVerdict>(const VerifyRequest&)> find;
    std::function<std::optional<Json>(const std::string& key)> find_key;
    std::function<std::size_t()> count_connections;
  };

  explicit JudgingService(Options options);

  std::function<void()> Handle(HttpRequest request, SendResponse reply) override;
  HttpResponse Refuse(int status, const std::string& why) override;

  // JudgingQueue::Stop().
  void Stop() { queue_.Stop(); }

 private:
  std::optional<HttpResponse> Objection(const HttpRequest& request);
  std::function<void()> Verify(const HttpRequest& request, const SendResponse& reply);
  HttpResponse VerdictOf(const std::string& key);
  void Send(const SendResponse& reply, HttpResponse response);

  const Options options_;
  ServiceMetrics metrics_;
  JudgingQueue queue_;  // The last member: its threads use the others.
};

// The JSON of a verdict: {"key", "verdict", "reward", "feedback"}.
Result<Json> ServedVerdict(const std::string& key, const Json& verdict);

}  // namespace kernelmill
