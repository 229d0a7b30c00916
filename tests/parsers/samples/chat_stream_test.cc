#include "parsers/samples/chat_stream.h"

#include <gtest/gtest.h>

#include <random>

#include "parsers/samples/chat_completion.h"

namespace kernelmill {
namespace {

Json Parsed(std::string_view text) {
  const Result<Json> json = Json::Parse(text);
  EXPECT_TRUE(json.ok()) << text << ": " << json.status().message();
  return json.ok() ? *json : Json();
}

ChatStream::Outcome OutcomeOf(std::string_view text) {
  ChatStream stream;
  stream.Feed(text);
  return stream.Finish();
}

constexpr char kTwoChoices[] =
    ": a comment\n\n"
    "event: message\r\n"
    "data: {\"id\":\"x\",\"model\":\"m\",\"usage\":null,\"choices\":"
    "[{\"index\":1,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\r\n\r\n"
    "data: "
    "{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"reasoning_content\":\"Hm\"},"
    "\"logprobs\":{\"content\":[{\"token\":\"Hm\",\"logprob\":-0.5}]}}]}\n\n"
    "data:{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"sch\xC3\xB6n\"},\"finish_reason\":"
    "null,"
    "\"logprobs\":{\"content\":[{\"token\":\"sch\xC3\xB6n\",\"logprob\":-1.5}]}},"
    "{\"index\":1,\"delta\":{\"content\":\"a\"}}]}\n\n"
    "data: "
    "{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b\"},\"finish_reason\":\"length\"}]}\n\n"
    "data: {\"choices\":\ndata: [{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\n\n"
    "data: [DONE]\n\n";

TEST(ChatStream, GivesTheBodyOfTheSameCompletionWithoutStreaming) {
  const ChatStream::Outcome outcome = OutcomeOf(kTwoChoices);
  EXPECT_EQ(outcome.problem, "");
  EXPECT_EQ(outcome.body, Parsed(R"({"id": "x", "model": "m", "object": "chat.completion",
    "usage": {"prompt_tokens": 3, "completion_tokens": 4}, "choices": [
      {"index": 0, "finish_reason": "stop", "message":
        {"role": "assistant", "content": "schön", "reasoning_content": "Hm"},
       "logprobs": {"content": [{"token": "Hm", "logprob": -0.5},
                                {"token": "schön", "logprob": -1.5}]}},
      {"index": 1, "finish_reason": "length", "message": {"role": "assistant", "content": "ab"}}]})"));
  const ParsedSamples read = ParseChatCompletion(outcome.body, "task:cuda:0", "");
  ASSERT_EQ(read.samples.size(), 2u);
  EXPECT_EQ(read.samples[0].reasoning, "Hm");
  EXPECT_TRUE(read.samples[1].Cut());
}

TEST(ChatStream, DoesNotDependOnWhereTheBytesAreCut) {
  const std::string text = kTwoChoices;
  const Json whole = OutcomeOf(text).body;
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    ChatStream stream;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = 1 + random() % (round % 40 + 1);
      stream.Feed(std::string_view(text).substr(at, size));
      at += size;
    }
    ASSERT_EQ(stream.Finish().body, whole);
  }
}

TEST(ChatStream, EveryBeginningIsIncomplete) {
  const std::string text = kTwoChoices;
  // Whole from the finish_reason of the last choice on.
  const std::size_t whole = text.find("\"stop\"}]}\n") + std::string("\"stop\"}]}\n").size();
  for (std::size_t size = 0; size < text.size(); ++size) {
    const ChatStream::Outcome outcome = OutcomeOf(text.substr(0, size));
    EXPECT_EQ(outcome.problem.empty(), size >= whole) << size;
    EXPECT_EQ(outcome.body.is_null(), size < whole) << size;
  }
  EXPECT_TRUE(OutcomeOf(text.substr(0, text.find("data: {\"choices\":\n"))).cut);
}

TEST(ChatStream, NeedsNoMarkAtItsEnd) {
  const ChatStream::Outcome outcome = OutcomeOf(
      "data: "
      "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n");
  EXPECT_EQ(outcome.problem, "");
  EXPECT_EQ(outcome.body.Find("choices")->as_array().size(), 1u);
}

TEST(ChatStream, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"data: {\"error\":{\"message\":\"out of memory\"}}\n\n", "out of memory"},
      {"data: <html>\n\n", "no JSON object: <html>"},
      {"data: [1]\n\n", "no JSON object: [1]"},
      {"data: {\"choices\":[7]}\n\n", "no object: 7"},
      {"data: {\"choices\":7}\n\n", "no choices"},
      {"data: [DONE]\n\n", "no choices"},
      {"<html>", "no choices"},
      {"", "no choices"},
  };
  for (const auto& [text, problem] : cases) {
    const ChatStream::Outcome outcome = OutcomeOf(text);
    EXPECT_NE(outcome.problem.find(problem), std::string::npos) << text << outcome.problem;
    EXPECT_FALSE(outcome.cut) << text;
  }
}

}  // namespace
}  // namespace kernelmill
