#include "stages/pack/trainers/sampling_request.h"

#include <gmock/gmock.h>

#include "parsers/samples/sample_format.h"

namespace kernelmill {
namespace {

TaskQuestion Question() { return {.task_id = DigestOf("a task"), .messages = {{"user", "Q"}}}; }

// What a server writes for a request: one reply with `count` answers.
std::string ReplyTo(const Json::Object& line, const std::string& form, int count) {
  Json::Array choices;
  for (int i = 0; i < count; ++i) {
    choices.push_back(Json::Object{
        {"index", i}, {"message", Json::Object{{"role", "assistant"}, {"content", "A"}}}});
  }
  const Json line_json(line);
  const std::string name = line_json.TextAt(line.contains("rid") ? "rid" : "custom_id");
  if (form == "sglang-generate") {
    return Json(Json::Object{{"text", "A"}, {"meta_info", Json::Object{{"id", name}}}}).Dump();
  }
  if (form == "sglang-chat") {
    return Json(Json::Object{
                    {"id", name}, {"object", "chat.completion"}, {"choices", std::move(choices)}})
        .Dump();
  }
  return Json(Json::Object{{"id", form == "vllm" ? "vllm-1" : "batch_req_1"},
                           {"custom_id", name},
                           {"response",
                            Json::Object{{"status_code", 200},
                                         {"body", Json::Object{{"choices", std::move(choices)}}}}}})
      .Dump();
}

TEST(RequestsOf, ReadersJoinTheRepliesOfEveryFormToTheTask) {
  for (const std::string& form : SamplingForms()) {
    for (std::int64_t turn : {1, 2}) {
      TaskQuestion question = Question();
      question.turn = turn;
      question.retry = turn == 2 ? "0123456789ab" : "";
      question.number = turn - 1;
      question.backend = &kMusaBackend;
      const SamplingOptions options{.form = form, .samples = 3};
      std::vector<std::int64_t> attempts;
      const std::vector<Json::Object> lines = RequestsOf(question, options);
      const bool batch = form == "openai" || form == "vllm";
      EXPECT_EQ(lines.size(), batch ? 1u : 3u);
      for (const Json::Object& line : lines) {
        const std::string reply = ReplyTo(line, form, batch ? 3 : 1);
        const SampleFormat* const format = RecogniseSampleFormat(reply);
        ASSERT_NE(format, nullptr) << reply;
        EXPECT_TRUE(form.starts_with(format->name)) << form << " is read as " << format->name;
        const ParsedSamples parsed = ParseSamples(*format, reply);
        EXPECT_TRUE(parsed.problems.empty());
        for (const ModelSample& sample : parsed.samples) {
          EXPECT_EQ(sample.task, DigestOf("a task").Hex());
          EXPECT_EQ(sample.backend, &kMusaBackend);
          EXPECT_EQ(sample.turn, turn);
          EXPECT_EQ(sample.retry, question.retry);
          attempts.push_back(sample.attempt.value_or(0));
        }
      }
      const std::int64_t first = (turn - 1) * 3;
      EXPECT_THAT(attempts, testing::ElementsAre(first, first + 1, first + 2)) << form;
    }
  }
}

TEST(RequestsOf, UnsetParametersAreLeftToTheServer) {
  SamplingOptions options{.model = "m"};
  const Json body = RequestsOf(Question(), options).front().at("body");
  EXPECT_EQ(body.Find("temperature"), nullptr);
  EXPECT_EQ(body.TextAt("model"), "m");
  options.temperature = 0.5;
  options.max_tokens = 100;
  EXPECT_EQ(RequestsOf(Question(), options).front().at("body").Find("temperature")->as_double(),
            0.5);
  options.form = "sglang-generate";
  const Json::Object line = RequestsOf(Question(), options).front();
  EXPECT_EQ(line.at("sampling_params").IntegerAt("max_new_tokens"), 100);
}

}  // namespace
}  // namespace kernelmill
