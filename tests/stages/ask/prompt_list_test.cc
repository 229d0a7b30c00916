#include "stages/ask/prompt_list.h"

#include <gtest/gtest.h>

#include <random>

namespace kernelmill {
namespace {

Json Line(const std::string& name, std::int64_t n) {
  return Json::Object{
      {"custom_id", name},
      {"body",
       Json::Object{{"model", "m"},
                    {"n", n},
                    {"messages", Json::Array{Json::Object{{"role", "user"}, {"content", name}}}}}}};
}

TEST(PromptList, AttemptsOfLinesAboutOneTaskFollowEachOther) {
  PromptList prompts({});
  // As `export --format prompts --samples 4 --multi-turn` names them.
  for (const char* name : {"t:cuda", "t:cuda:4", "t:musa", "t:cuda:0:t2", "u:cuda"}) {
    ASSERT_TRUE(prompts.Add(Line(name, 4), name).ok()) << name;
  }
  EXPECT_EQ(prompts.Samples(), 20);
  EXPECT_EQ(prompts.Find(CustomId::Parse("t:cuda"), 3)->place, "t:cuda");
  EXPECT_EQ(prompts.Find(CustomId::Parse("t:cuda"), 4)->place, "t:cuda:4");
  EXPECT_EQ(prompts.Find(CustomId::Parse("t:cuda"), 8), nullptr);
  EXPECT_EQ(prompts.Find(CustomId::Parse("t:cuda:1:t2"), 0)->place, "t:cuda:0:t2");
  EXPECT_EQ(prompts.Find(CustomId::Parse("v:cuda"), 0), nullptr);
  for (const char* name : {"t:cuda", "t:cuda:2", "t:cuda:7", "t:cuda:1:t2"}) {
    const Status refused = prompts.Add(Line(name, 4), "last");
    EXPECT_EQ(refused.code(), ErrorCode::kCorrupt) << name;
    EXPECT_NE(refused.message().find("last: "), std::string::npos);
  }
  PromptList wide({});
  ASSERT_TRUE(wide.Add(Line("t:cuda:2", 1), "a").ok());
  EXPECT_FALSE(wide.Add(Line("t:cuda", 3), "b").ok());
  EXPECT_TRUE(wide.Add(Line("t:cuda", 2), "b").ok());
}

TEST(PromptList, EveryAttemptIsSettledOrMissing) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    PromptList prompts({});
    std::set<std::pair<std::string, std::int64_t>> expected;
    for (int i = 0; i < 5; ++i) {
      const std::int64_t first = random() % 5, n = 1 + random() % 6;
      const std::string task = "t" + std::to_string(i);
      ASSERT_TRUE(prompts.Add(Line(task + ":" + std::to_string(first), n), task).ok());
      for (std::int64_t k = first; k < first + n; ++k) expected.emplace(task, k);
    }
    for (int i = 0; i < 12; ++i) {
      const std::string task = "t" + std::to_string(random() % 6);
      const std::int64_t attempt = random() % 12;
      EXPECT_EQ(prompts.Settle(CustomId::Parse(task), attempt),
                expected.erase({task, attempt}) > 0);
    }
    std::set<std::pair<std::string, std::int64_t>> missing;
    for (const PromptList::Attempts& run : prompts.Missing()) {
      EXPECT_GT(run.count, 0);
      for (std::int64_t k = run.first; k < run.first + run.count; ++k) {
        EXPECT_TRUE(missing.emplace(prompts.prompts()[run.prompt].name.task, k).second);
      }
    }
    EXPECT_EQ(missing, expected);
  }
}

TEST(PromptList, ALimitKeepsTheFirst) {
  PromptList prompts({});
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(prompts.Add(Line(name, 2), name).ok());
  prompts.Limit(2);
  EXPECT_EQ(prompts.Samples(), 4);
  EXPECT_EQ(prompts.Find(CustomId::Parse("c"), 0), nullptr);
}

TEST(AskedPrompt, SaysWhatIsWrongWithALine) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", "no JSON object"},
      {"{}", "there is no \"custom_id\""},
      {R"({"custom_id": "x"})", "there is no \"body\""},
      {R"({"custom_id": "x", "body": {"model": "m"}})", "there is no \"body.messages\""},
      {R"({"custom_id": "x", "body": {"messages": [{"role": "user", "content": "a"}]}})",
       "there is no \"body.model\""},
      {R"({"custom_id": "x", "body": {"model": "m", "messages": [{"role": "user",
           "content": [{"type": "text", "text": "a"}]}]}})",
       "\"body.messages[0].content\" must be a string"},
      {R"({"custom_id": "x", "body": {"model": "m", "messages": ["a"]}})",
       "\"body.messages[0]\" must be an object"},
      {R"({"custom_id": "x", "url": "/v1/embeddings", "body": {"model": "m", "messages":
           [{"role": "user", "content": "a"}]}})",
       "/v1/embeddings"},
      {R"({"custom_id": "x", "body": {"model": "m", "n": 0, "messages":
           [{"role": "user", "content": "a"}]}})",
       "\"body.n\" must be at least 1"},
      {R"({"rid": "x", "text": "a", "sampling_params": {}})", "--requests openai"},
  };
  for (const auto& [text, expected] : cases) {
    const Result<AskedPrompt> prompt = AskedPrompt::Of(*Json::Parse(text), "p.jsonl:7", {});
    ASSERT_FALSE(prompt.ok()) << text;
    EXPECT_NE(prompt.status().message().find("p.jsonl:7: "), std::string::npos);
    EXPECT_NE(prompt.status().message().find(expected), std::string::npos)
        << prompt.status().message();
  }
}

TEST(AskedPrompt, EachRequestHasASeedOfItsOwn) {
  const Result<AskedPrompt> prompt = AskedPrompt::Of(Line("t:cuda:8", 4), "p", {.seed = 100});
  ASSERT_TRUE(prompt.ok());
  EXPECT_EQ(prompt->BodyFrom(8).at("seed"), Json(108));
  EXPECT_EQ(prompt->BodyFrom(11).at("seed"), Json(111));
  EXPECT_EQ(Json::Parse(prompt->body)->IntegerAt("seed"), 100);
}

}  // namespace
}  // namespace kernelmill
