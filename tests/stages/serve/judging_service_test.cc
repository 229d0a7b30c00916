// The answers of `serve` to requests, with a judge and a store that stand in for the real ones.
#include "stages/serve/judging_service.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <future>
#include <memory>

namespace kernelmill {
namespace {

const std::string kKey(64, 'a');

Verdict VerdictWith(VerdictStatus status) {
  Verdict verdict;
  verdict.status = status;
  verdict.policy = "strict";
  verdict.backend = "cuda";
  verdict.feedback = "what to do";
  return verdict;
}

// Judges by the candidate's code.
Result<JudgePool::Judged> Judged(const VerifyRequest& request) {
  if (request.code == "ends") return Status(ErrorCode::kWorker, "the worker has ended");
  const VerdictStatus status = request.code == "right"         ? VerdictStatus::kCorrect
                               : request.code == "infra"       ? VerdictStatus::kInfra
                               : request.code == "unsupported" ? VerdictStatus::kUnsupported
                                                               : VerdictStatus::kIllegal;
  if (request.code == "slow") std::this_thread::sleep_for(std::chrono::milliseconds(300));
  JudgePool::Judged judged;
  judged.key = kKey;
  judged.verdict = VerdictWith(status);
  return judged;
}

class JudgingServiceTest : public testing::Test {
 protected:
  void Start(AccessToken token = {}, bool is_loopback = true) {
    service_.emplace(JudgingService::Options{
        .rules = {.deadline = std::chrono::seconds(10),
                  .most_deadline = std::chrono::seconds(10),
                  .most_requests = 8},
        .token = std::move(token),
        .is_loopback = is_loopback,
        .queue = {.lanes = 1,
                  .most_waiting = 2,
                  .open_lane = [] { return JudgingQueue::Judge(Judged); }},
        .find = [](const VerifyRequest& request) -> std::optional<KnownVerdict> {
          if (request.code != "known") return std::nullopt;
          return KnownVerdict{kKey, VerdictWith(VerdictStatus::kCorrect).ToJson()};
        },
        .find_key = [](const std::string& key) -> std::optional<Json> {
          if (key != kKey) return std::nullopt;
          return VerdictWith(VerdictStatus::kCorrect).ToJson();
        },
        .count_connections = [] { return std::size_t{3}; }});
  }

  HttpResponse Ask(HttpRequest request) {
    const auto response = std::make_shared<std::promise<HttpResponse>>();
    service_->Handle(std::move(request),
                     [response](HttpResponse one) { response->set_value(std::move(one)); });
    return response->get_future().get();
  }

  static HttpRequest Get(const std::string& target) {
    return {.method = "GET", .target = target, .host = "127.0.0.1:8077"};
  }
  static HttpRequest Post(const Json& body) {
    return {.method = "POST",
            .target = "/v1/verify",
            .host = "localhost",
            .content_type = "application/json",
            .body = body.Dump()};
  }
  static Json::Object Candidate(const std::string& code) {
    return {{"reference", "model"}, {"code", code}};
  }
  HttpResponse Verify(const std::string& code) { return Ask(Post(Candidate(code))); }

  static Json JsonOf(const HttpResponse& response) {
    const Result<Json> json = Json::Parse(response.body);
    EXPECT_TRUE(json.ok()) << response.body;
    return json.ok() ? *json : Json();
  }
  static std::string ErrorOf(const HttpResponse& response) {
    const Json json = JsonOf(response);
    const Json* const error = json.Find("error");
    return error == nullptr ? "" : error->TextAt("code");
  }

  std::optional<JudgingService> service_;
};

TEST_F(JudgingServiceTest, AVerdictComesWithItsReward) {
  Start();
  for (const std::string code : {"right", "known"}) {
    const HttpResponse response = Verify(code);
    ASSERT_EQ(response.status, 200) << response.body;
    const Json json = JsonOf(response);
    EXPECT_EQ(json.TextAt("key"), kKey);
    EXPECT_EQ(*json.Find("verdict"), VerdictWith(VerdictStatus::kCorrect).ToJson());
    EXPECT_EQ(*json.Find("reward"), VerdictWith(VerdictStatus::kCorrect).RewardJson());
    EXPECT_EQ(json.TextAt("feedback"), "what to do");
    EXPECT_EQ(json.IntegerAt("version"), 1);
  }
  EXPECT_EQ(*JsonOf(Verify("wrong")).Find("reward"),
            Json(Json::Object{{"correctness", -1.0}, {"performance", Json()}}));
  EXPECT_TRUE(JsonOf(Verify("unsupported")).Find("reward")->is_null());
}

TEST_F(JudgingServiceTest, AFailureOfTheHostIsNoVerdict) {
  Start();
  for (const std::string code : {"infra", "ends"}) {
    const HttpResponse response = Verify(code);
    EXPECT_EQ(response.status, 503);
    EXPECT_TRUE(response.retry_after);
    EXPECT_EQ(ErrorOf(response), "unavailable");
    EXPECT_EQ(JsonOf(response).Find("verdict"), nullptr);
  }
}

TEST_F(JudgingServiceTest, ABodyOfSeveralHasAResultForEach) {
  Start();
  const HttpResponse response = Ask(Post(Json::Object{
      {"requests", Json::Array{Candidate("known"), Candidate("infra"), Candidate("right")}}}));
  ASSERT_EQ(response.status, 200) << response.body;
  const Json json = JsonOf(response);
  const Json::Array& results = json.Find("results")->as_array();
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].IntegerAt("status"), 200);
  EXPECT_EQ(results[1].IntegerAt("status"), 503);
  EXPECT_EQ(results[1].Find("error")->TextAt("code"), "unavailable");
  EXPECT_EQ(results[2].TextAt("key"), kKey);
}

TEST_F(JudgingServiceTest, AFullQueueSaysWhenToComeAgain) {
  Start();
  const HttpResponse response = Ask(Post(Json::Object{
      {"requests", Json::Array{Candidate("a"), Candidate("b"), Candidate("c"), Candidate("d")}}}));
  EXPECT_EQ(response.status, 429);
  EXPECT_GE(response.retry_after.value_or(0), 1);
}

TEST_F(JudgingServiceTest, ADeadlineEndsARequest) {
  Start();
  Json::Object slow = Candidate("slow");
  slow["deadline_seconds"] = 0.05;
  const HttpResponse response = Ask(Post(slow));
  EXPECT_EQ(response.status, 504);
  EXPECT_EQ(ErrorOf(response), "deadline");
  EXPECT_EQ(Verify("slow").status, 200);
}

TEST_F(JudgingServiceTest, VerdictsByKey) {
  Start();
  EXPECT_EQ(JsonOf(Ask(Get("/v1/verdicts/" + kKey))).TextAt("key"), kKey);
  EXPECT_EQ(Ask(Get("/v1/verdicts/" + std::string(64, 'b'))).status, 404);
  for (const std::string& key :
       {std::string(), std::string(63, 'a'), std::string(64, 'A'), std::string("../secret"),
        "..%2F" + std::string(59, 'a'), std::string(61, 'a') + "/.."}) {
    EXPECT_EQ(Ask(Get("/v1/verdicts/" + key)).status, 400) << key;
  }
}

TEST_F(JudgingServiceTest, WrongRequestsSayWhatIsWrong) {
  Start();
  EXPECT_EQ(Ask(Get("/")).status, 404);
  const HttpResponse wrong_method = Ask(Get("/v1/verify"));
  EXPECT_EQ(wrong_method.status, 405);
  EXPECT_EQ(wrong_method.allow, "POST");
  HttpRequest request = Post(Candidate("right"));
  request.content_type = "text/plain";  // What a page in a browser may send to any server.
  EXPECT_EQ(Ask(request).status, 415);
  request = Post(Candidate("right"));
  request.body = "{\"reference\": ";
  EXPECT_EQ(Ask(request).status, 400);
  const HttpResponse unknown =
      Ask(Post(Json::Object{{"requests", Json::Array{Json::Object{{"polcy", 1}}}}}));
  EXPECT_EQ(unknown.status, 400);
  EXPECT_EQ(JsonOf(unknown).Find("error")->TextAt("key"), "requests[0].polcy");
}

TEST_F(JudgingServiceTest, WithoutATokenOnlyTheLoopbackHostIsAnswered) {
  Start();
  for (const std::string host :
       {"localhost", "localhost:8077", "127.0.0.1", "127.9.9.9:1", "[::1]", "[::1]:8077"}) {
    HttpRequest request = Get("/healthz");
    request.host = host;
    EXPECT_EQ(Ask(request).status, 200) << host;
  }
  for (const std::string host : {"", "evil.example", "127.0.0.1.evil.example", "localhost.evil:80",
                                 "[::2]:8077", "10.0.0.1"}) {
    HttpRequest request = Get("/healthz");
    request.host = host;
    EXPECT_EQ(Ask(request).status, 403) << host;
  }
}

TEST_F(JudgingServiceTest, ATokenIsAskedForEverywhereButForHealth) {
  setenv(AccessToken::kVariable, "0123456789abcdef", 1);
  Result<AccessToken> token = AccessToken::Read("");
  unsetenv(AccessToken::kVariable);
  ASSERT_TRUE(token.ok());
  Start(*token, false);
  for (const std::string target : {"/metrics", "/v1/verify", "/other"}) {
    for (const std::string header : {"", "Bearer", "Bearer ", "Bearer 0123456789abcdeg",
                                     "Bearer 0123456789abcdef0", "Basic 0123456789abcdef"}) {
      HttpRequest request = Get(target);
      request.host = "gpu7";
      request.authorization = header;
      const HttpResponse response = Ask(request);
      EXPECT_EQ(response.status, 401) << target << ' ' << header;
      EXPECT_EQ(response.body.find("0123456789abcdef"), std::string::npos);
    }
  }
  HttpRequest request = Get("/healthz");
  request.host = "gpu7";
  EXPECT_EQ(Ask(request).status, 200);
  request.target = "/metrics";
  for (const std::string header : {"Bearer 0123456789abcdef", "bearer 0123456789abcdef"}) {
    request.authorization = header;
    EXPECT_EQ(Ask(request).status, 200);
  }
}

TEST_F(JudgingServiceTest, TokensThatAreNone) {
  const std::string path = testing::TempDir() + "/token";
  for (const std::string text : {"", "short", "with a space in the middle", "0123456789abcdéf"}) {
    std::ofstream(path) << text;
    EXPECT_EQ(AccessToken::Read(path).status().code(), ErrorCode::kUsage) << text;
  }
  std::ofstream(path) << "0123456789abcdef\n";
  const Result<AccessToken> token = AccessToken::Read(path);
  ASSERT_TRUE(token.ok());
  EXPECT_TRUE(token->Matches("Bearer 0123456789abcdef"));
  EXPECT_EQ(AccessToken::Read(path + ".none").status().code(), ErrorCode::kNotFound);
}

TEST_F(JudgingServiceTest, CountsAreInPrometheusFormat) {
  Start();
  Verify("right");
  Verify("known");
  Ask(Get("/nowhere"));
  const HttpResponse response = Ask(Get("/metrics"));
  EXPECT_TRUE(response.content_type.starts_with("text/plain; version=0.0.4"));
  for (const std::string line :
       {"kernelmill_verdicts_total{status=\"correct\",source=\"judged\"} 1\n",
        "kernelmill_verdicts_total{status=\"correct\",source=\"store\"} 1\n",
        "kernelmill_http_responses_total{status=\"200\"} 2\n",
        "kernelmill_http_responses_total{status=\"404\"} 1\n",
        "kernelmill_judging_seconds_count 1\n", "kernelmill_waiting 0\n",
        "kernelmill_connections 3\n", "# TYPE process_resident_memory_bytes gauge\n"}) {
    EXPECT_NE(response.body.find(line), std::string::npos) << line << response.body;
  }
}

TEST_F(JudgingServiceTest, AStoppedServiceAnswersFromTheStoreOnly) {
  Start();
  service_->Stop();
  EXPECT_EQ(Verify("right").status, 503);
  EXPECT_TRUE(Verify("right").retry_after);
  EXPECT_EQ(Verify("known").status, 200);
  EXPECT_EQ(Ask(Get("/healthz")).status, 503);
}

}  // namespace
}  // namespace kernelmill
