#include "stages/serve/verify_request.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace kernelmill {
namespace {

RequestRules Rules() {
  RequestRules rules;
  rules.choice.secret = "a secret";
  rules.deadline = std::chrono::seconds(60);
  rules.most_deadline = std::chrono::seconds(100);
  rules.most_requests = 3;
  rules.find_task = [](const std::string& task) -> Result<ListedTask> {
    if (task != "abc") return Status(ErrorCode::kNotFound, "there is no record " + task);
    return ListedTask{std::make_shared<const std::string>("class Model: pass"),
                      TaskContract{.any_shape = true}};
  };
  return rules;
}

Json::Object Minimal() { return {{"reference", "class Model: pass"}, {"code", "x = 1"}}; }

VerifyRequest Parsed(Json::Object request) {
  ParsedBody body = ParseVerifyBody(Json(std::move(request)).Dump(), Rules());
  EXPECT_FALSE(body.problem) << body.problem->message;
  EXPECT_FALSE(body.several);
  return body.requests.at(0);
}

BodyProblem ProblemOf(const std::string& body) {
  const ParsedBody parsed = ParseVerifyBody(body, Rules());
  EXPECT_TRUE(parsed.problem) << body;
  return parsed.problem.value_or(BodyProblem{});
}

TEST(VerifyRequest, TheShortestRequestHasTheDefaultsOfVerify) {
  const VerifyRequest request = Parsed(Minimal());
  EXPECT_EQ(request.reference, "class Model: pass");
  EXPECT_EQ(request.code, "x = 1");
  EXPECT_EQ(request.choice.policy, "strict");
  EXPECT_EQ(request.choice.backend, &kCudaBackend);
  EXPECT_EQ(request.choice.target, "sm_80");
  EXPECT_EQ(request.choice.secret, "a secret");
  EXPECT_EQ(request.choice.contract, TaskContract{});
  EXPECT_FALSE(request.choice.memory || request.choice.races || request.choice.count);
  EXPECT_EQ(request.deadline, std::chrono::seconds(60));
}

TEST(VerifyRequest, EveryKeyIsRead) {
  Json::Object json = {{"task", "abc"},          {"message", "```python\nclass ModelNew: 1\n```"},
                       {"backend", "musa"},      {"target", "mp_22"},
                       {"policy", "mooreeval"},  {"contract", "any_layout"},
                       {"sanitize", "all"},      {"profile", true},
                       {"deadline_seconds", 1.5}};
  const VerifyRequest request = Parsed(json);
  EXPECT_EQ(request.reference, "class Model: pass");
  EXPECT_EQ(request.code, "class ModelNew: 1\n");
  EXPECT_EQ(request.choice.backend, &kMusaBackend);
  EXPECT_EQ(request.choice.target, "mp_22");
  EXPECT_EQ(request.choice.policy, "mooreeval");
  // The task asks for any shape, the request for any layout.
  EXPECT_EQ(request.choice.contract, (TaskContract{.any_shape = true, .any_layout = true}));
  EXPECT_TRUE(request.choice.memory && request.choice.races && request.choice.count);
  EXPECT_EQ(request.deadline, std::chrono::milliseconds(1'500));
}

TEST(VerifyRequest, AMessageWithoutCodeIsARequest) {
  Json::Object json = Minimal();
  json.erase("code");
  json["message"] = "I cannot do that.";
  EXPECT_EQ(Parsed(json).code, std::nullopt);
}

// Whatever decides a verdict distinguishes two requests; the deadline does not.
TEST(VerifyRequest, RequestsAreEqualIfTheirVerdictsAre) {
  std::set<std::string> identities = {Parsed(Minimal()).Identity()};
  const std::vector<std::pair<std::string, Json>> changes = {{"reference", "class Model: 1"},
                                                             {"code", "x = 2"},
                                                             {"policy", "kernelbench"},
                                                             {"backend", "musa"},
                                                             {"sanitize", "race"},
                                                             {"sanitize", "memory"},
                                                             {"sanitize", "all"},
                                                             {"profile", true},
                                                             {"contract", "any_values"},
                                                             {"contract", "any_shape"},
                                                             {"contract", "any_layout"}};
  for (const auto& [key, value] : changes) {
    Json::Object json = Minimal();
    json[key] = value;
    EXPECT_TRUE(identities.insert(Parsed(json).Identity()).second) << key << ' ' << value.Dump();
  }
  Json::Object without_code = Minimal();
  without_code.erase("code");
  without_code["message"] = "no";
  EXPECT_TRUE(identities.insert(Parsed(without_code).Identity()).second);
  for (const auto& [key, value] : std::vector<std::pair<std::string, Json>>{
           {"deadline_seconds", 3}, {"target", "sm_80"}, {"contract", "fixed_shapes"}}) {
    Json::Object json = Minimal();
    json[key] = value;
    EXPECT_TRUE(identities.contains(Parsed(json).Identity())) << key;
  }
}

TEST(VerifyRequest, WhatIsWrongIsNamedByItsKey) {
  const std::vector<std::tuple<std::string, Json, std::string>> cases = {
      {"policy", "kind", "kind"},
      {"policy", 3, "string"},
      {"backend", "rocm", "rocm"},
      {"target", "sm_12345", "sm_80"},
      {"contract", "any", "any_shape"},
      {"sanitize", "some", "memory, race"},
      {"profile", "yes", "true or false"},
      {"deadline_seconds", 0, "at most 100"},
      {"deadline_seconds", -1, "at most 100"},
      {"deadline_seconds", 101, "at most 100"},
      {"deadline_seconds", "soon", "a number"},
      {"polcy", "strict", "\"policy\""},
      {"reference", std::string(2 << 20, 'x'), "bytes"},
      {"reference", std::string("a\0b", 3), "NUL"},
      {"reference", Json(), "string"},
      {"code", Json::Array{}, "string"},
      {"message", "both", "either"},
      {"task", "abc", "either"},
  };
  for (const auto& [key, value, expected] : cases) {
    Json::Object json = Minimal();
    json[key] = value;
    const BodyProblem problem = ProblemOf(Json(json).Dump());
    EXPECT_EQ(problem.status, 400) << key;
    EXPECT_EQ(problem.key, key == "message" ? "code" : key);
    EXPECT_NE(problem.message.find(expected), std::string::npos) << key << ": " << problem.message;
    // In a list, the position is named too.
    const Json list = Json::Object{{"requests", Json::Array{Minimal(), json}}};
    EXPECT_EQ(ProblemOf(list.Dump()).key, "requests[1]." + problem.key);
  }
}

TEST(VerifyRequest, WhatIsMissingIsNamed) {
  EXPECT_EQ(ProblemOf("{}").key, "task");
  EXPECT_EQ(ProblemOf(R"({"reference": "x"})").key, "code");
  EXPECT_EQ(ProblemOf(R"({"code": "x"})").key, "task");
  const BodyProblem unknown = ProblemOf(R"({"task": "abd", "code": "x"})");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.key, "task");
}

TEST(VerifyRequest, BodiesThatAreNoRequests) {
  for (const std::string body : {"", "{", "nonsense", "[]", "3", "\"text\"", "null", "\xff\xfe",
                                 R"({"code": 1, "code": 2})"}) {
    EXPECT_EQ(ProblemOf(body).status, 400) << body;
  }
  EXPECT_EQ(ProblemOf(std::string(10'000, '[')).status, 400);
}

TEST(VerifyRequest, Lists) {
  const auto list = [](std::size_t size) {
    return Json(Json::Object{{"requests", Json::Array(size, Minimal())}});
  };
  const ParsedBody body = ParseVerifyBody(list(3).Dump(), Rules());
  EXPECT_FALSE(body.problem);
  EXPECT_TRUE(body.several);
  EXPECT_EQ(body.requests.size(), 3u);
  EXPECT_EQ(ProblemOf(list(4).Dump()).status, 413);
  EXPECT_EQ(ProblemOf(list(0).Dump()).key, "requests");
  EXPECT_EQ(ProblemOf(R"({"requests": {}})").key, "requests");
  EXPECT_EQ(ProblemOf(R"({"requests": [7]})").key, "requests[0]");
  Json beside = list(1);
  beside["policy"] = "strict";
  EXPECT_EQ(ProblemOf(beside.Dump()).key, "policy");
}

TEST(VerifyRequest, WithoutADatasetThereAreNoTasks) {
  RequestRules rules = Rules();
  rules.find_task = nullptr;
  const ParsedBody body = ParseVerifyBody(R"({"task": "abc", "code": "x"})", rules);
  ASSERT_TRUE(body.problem);
  EXPECT_EQ(body.problem->key, "task");
  EXPECT_NE(body.problem->message.find("--tasks"), std::string::npos);
}

}  // namespace
}  // namespace kernelmill
