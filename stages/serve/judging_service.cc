#include "stages/serve/judging_service.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "manifests/json_version.h"
#include "manifests/printable.h"

namespace kernelmill {
namespace {

constexpr char kVerifyPath[] = "/v1/verify", kVerdictsPath[] = "/v1/verdicts/",
               kMetricsPath[] = "/metrics", kHealthPath[] = "/healthz";
constexpr int kRetrySeconds = 5;  // After a failure of this machine, or while it stops.

HttpResponse JsonResponse(int status, Json document) {
  document["version"] = kJsonVersion;
  return {.status = status, .body = document.Dump() + "\n"};
}

Json ErrorJson(std::string_view code, const std::string& message, const std::string& key = "") {
  constexpr std::size_t kLongestMessage = 1'000;
  Json::Object error = {{"code", code}, {"message", PrintableLine(message, kLongestMessage)}};
  if (!key.empty()) error["key"] = PrintableLine(key);
  return Json(std::move(error));
}

// The code of an error that has this status.
std::string_view ErrorCodeOf(int status) {
  switch (status) {
    case 400:
      return "bad_request";
    case 401:
      return "no_token";
    case 403:
      return "wrong_host";
    case 404:
      return "not_found";
    case 405:
      return "wrong_method";
    case 408:
      return "too_slow";
    case 413:
      return "too_large";
    case 415:
      return "wrong_type";
    case 429:
      return "queue_full";
    case 431:
      return "too_large";
    case 503:
      return "unavailable";
    case 504:
      return "deadline";
    default:
      return "internal";
  }
}

HttpResponse ErrorResponse(int status, const std::string& message, const std::string& key = "") {
  HttpResponse response =
      JsonResponse(status, Json::Object{{"error", ErrorJson(ErrorCodeOf(status), message, key)}});
  if (status == 503) response.retry_after = kRetrySeconds;
  if (status == 504) response.retry_after = 1;
  return response;
}

bool IsKey(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == text.npos;
}

// Whether a header "Host" names this machine's loopback interface.
bool NamesLoopback(std::string_view host) {
  const std::size_t port = host.starts_with('[') ? host.find("]:") : host.rfind(':');
  const std::string_view name =
      port == host.npos ? host : host.substr(0, host.starts_with('[') ? port + 1 : port);
  const bool is_ipv4 =
      name.starts_with("127.") && name.find_first_not_of("0123456789.") == name.npos;
  return name == "localhost" || name == "[::1]" || is_ipv4;
}

// One result of a request, while others of the same body may be waited for.
struct Answer {
  int status = 200;
  Json json;
};

Answer ErrorAnswer(int status, const std::string& message) {
  return {status, Json::Object{{"error", ErrorJson(ErrorCodeOf(status), message)}}};
}

// The answers to the requests of one body. The last one sends the response.
class AnswerList {
 public:
  AnswerList(bool several, std::size_t count, std::function<void(HttpResponse)> send)
      : several_(several), answers_(count), missing_(count), send_(std::move(send)) {}

  // Called once for each position, from any thread.
  void Set(std::size_t position, Answer answer) {
    answers_[position] = std::move(answer);
    if (--missing_ > 0) return;
    if (!several_) {
      HttpResponse response = JsonResponse(answers_[0].status, std::move(answers_[0].json));
      if (answers_[0].status == 503) response.retry_after = kRetrySeconds;
      if (answers_[0].status == 504) response.retry_after = 1;
      return send_(std::move(response));
    }
    Json::Array results;
    for (Answer& one : answers_) {
      one.json["status"] = one.status;
      results.push_back(std::move(one.json));
    }
    send_(JsonResponse(200, Json::Object{{"results", std::move(results)}}));
  }

 private:
  const bool several_;
  std::vector<Answer> answers_;
  std::atomic<std::size_t> missing_;
  const std::function<void(HttpResponse)> send_;
};

}  // namespace

Result<Json> ServedVerdict(const std::string& key, const Json& verdict) {
  KM_ASSIGN(const Verdict known, Verdict::FromJson(verdict));
  return Json(Json::Object{{"key", key},
                           {"verdict", verdict},
                           {"reward", known.RewardJson()},
                           {"feedback", known.feedback}});
}

JudgingService::JudgingService(Options options)
    : options_([&] {
        // The lanes report what they did.
        options.queue.open_lane = [this, open = options.queue.open_lane]() -> JudgingQueue::Judge {
          return [this, judge = open()](const VerifyRequest& request) {
            const auto begun = std::chrono::steady_clock::now();
            Result<JudgePool::Judged> judged = judge(request);
            if (!judged.ok() || !judged->from_store) {
              metrics_.CountJudged(
                  std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
            }
            return judged;
          };
        };
        return std::move(options);
      }()),
      queue_(options_.queue) {}

void JudgingService::Send(const SendResponse& reply, HttpResponse response) {
  metrics_.CountResponse(response.status);
  reply(std::move(response));
}

HttpResponse JudgingService::Refuse(int status, const std::string& why) {
  metrics_.CountResponse(status);
  return ErrorResponse(status, why);
}

std::optional<HttpResponse> JudgingService::Objection(const HttpRequest& request) {
  const bool is_verify = request.target == kVerifyPath;
  const bool is_known = is_verify || request.target.starts_with(kVerdictsPath) ||
                        request.target == kMetricsPath || request.target == kHealthPath;
  if (options_.token.is_set() && request.target != kHealthPath &&
      !options_.token.Matches(request.authorization)) {
    return ErrorResponse(401,
                         "the header Authorization must be \"Bearer TOKEN\" with the token "
                         "that the service was started with");
  }
  if (options_.is_loopback && !options_.token.is_set() && !NamesLoopback(request.host)) {
    return ErrorResponse(403,
                         "the header Host must name the loopback interface, such as 127.0.0.1");
  }
  if (!is_known) {
    return ErrorResponse(404,
                         "there is no such path: ask POST /v1/verify, GET /v1/verdicts/KEY, "
                         "GET /metrics or GET /healthz");
  }
  const std::string_view method = is_verify ? "POST" : "GET";
  if (request.method != method) {
    HttpResponse response = ErrorResponse(405, "this path takes " + std::string(method) + " only");
    response.allow = method;
    return response;
  }
  if (is_verify && !request.content_type.starts_with("application/json")) {
    return ErrorResponse(415, "the header Content-Type must be application/json");
  }
  return std::nullopt;
}

std::function<void()> JudgingService::Handle(HttpRequest request, SendResponse reply) {
  if (std::optional<HttpResponse> objection = Objection(request)) {
    Send(reply, *std::move(objection));
    return nullptr;
  }
  if (request.target == kVerifyPath) return Verify(request, reply);
  const JudgingQueue::Load load = queue_.load();
  if (request.target == kHealthPath) {
    Send(reply, load.stopping ? ErrorResponse(503, "the service stops, and judges nothing new")
                              : JsonResponse(200, Json::Object{{"status", "ready"}}));
  } else if (request.target == kMetricsPath) {
    Send(reply, {.body = metrics_.Text(load, options_.count_connections()),
                 .content_type = "text/plain; version=0.0.4"});
  } else {
    Send(reply, VerdictOf(request.target.substr(std::string_view(kVerdictsPath).size())));
  }
  return nullptr;
}

HttpResponse JudgingService::VerdictOf(const std::string& key) {
  if (!IsKey(key)) {
    return ErrorResponse(400, "a key has 64 lower-case hexadecimal digits", "KEY");
  }
  const std::optional<Json> verdict = options_.find_key(key);
  if (!verdict) return ErrorResponse(404, "there is no verdict with this key", "KEY");
  Result<Json> served = ServedVerdict(key, *verdict);
  if (!served.ok()) return ErrorResponse(503, served.status().message());
  metrics_.CountVerdict(verdict->TextAt("status"), true);
  return JsonResponse(200, *std::move(served));
}

std::function<void()> JudgingService::Verify(const HttpRequest& request,
                                             const SendResponse& reply) {
  ParsedBody body = ParseVerifyBody(request.body, options_.rules);
  if (body.problem) {
    Send(reply, ErrorResponse(body.problem->status, body.problem->message, body.problem->key));
    return nullptr;
  }
  const auto answers = std::make_shared<AnswerList>(
      body.several, body.requests.size(),
      [this, reply](HttpResponse response) { Send(reply, std::move(response)); });
  // A verdict, unless the Status is a failure of this machine.
  const auto answer_of = [this](const std::string& key, const Json& verdict,
                                bool from_store) -> Answer {
    Result<Json> served = ServedVerdict(key, verdict);
    if (!served.ok()) return ErrorAnswer(503, served.status().message());
    metrics_.CountVerdict(verdict.TextAt("status"), from_store);
    return {200, *std::move(served)};
  };
  std::vector<std::pair<std::size_t, Answer>> found;
  std::vector<JudgingQueue::Waiter> waiters;
  for (std::size_t i = 0; i < body.requests.size(); ++i) {
    if (const std::optional<KnownVerdict> known = options_.find(body.requests[i])) {
      found.emplace_back(i, answer_of(known->key, known->verdict, true));
      continue;
    }
    const auto done = [answers, i, answer_of](WaitEnd end,
                                              const Result<JudgePool::Judged>* judged) {
      if (end == WaitEnd::kLate) {
        return answers->Set(i, ErrorAnswer(504,
                                           "the deadline has passed; judging goes on if it "
                                           "has begun, so ask again"));
      }
      if (end == WaitEnd::kStopping) {
        return answers->Set(i, ErrorAnswer(503, "the service stops, and judges nothing new"));
      }
      if (!judged->ok()) return answers->Set(i, ErrorAnswer(503, judged->status().message()));
      const Verdict& verdict = (*judged)->verdict;
      if (verdict.status == VerdictStatus::kInfra) {
        return answers->Set(i, ErrorAnswer(503,
                                           "a failure of this machine, which says nothing "
                                           "about the candidate: " +
                                               verdict.detail));
      }
      answers->Set(i, answer_of((*judged)->key, verdict.ToJson(), (*judged)->from_store));
    };
    waiters.push_back({std::move(body.requests[i]), done});
  }
  std::optional<std::vector<JudgingQueue::Ticket>> tickets;
  if (!waiters.empty()) {
    tickets = queue_.Add(std::move(waiters));
    if (!tickets) {
      const JudgingQueue::Load load = queue_.load();
      if (load.stopping) {
        Send(reply, ErrorResponse(503, "the service stops, and judges nothing new"));
        return nullptr;
      }
      HttpResponse response = ErrorResponse(429, "too many candidates wait to be judged");
      response.retry_after = static_cast<int>(load.retry_after.count());
      Send(reply, std::move(response));
      return nullptr;
    }
  }
  for (auto& [position, answer] : found) answers->Set(position, std::move(answer));
  if (!tickets) return nullptr;
  return [this, tickets = *std::move(tickets)] { queue_.Cancel(tickets); };
}

}  // namespace kernelmill
