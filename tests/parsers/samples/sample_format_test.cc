#include "parsers/samples/sample_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "parsers/samples/custom_id.h"
#include "parsers/samples/message_code.h"
#include "tests/parsers/samples/sample_lines.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;

const SampleFormat& Format(std::string_view name) { return **FindSampleFormat(name); }

// A sample with everything that all formats can hold.
ModelSample RandomSample(std::mt19937_64* random) {
  const auto one_of = [&](std::initializer_list<std::string> items) {
    return *(items.begin() + (*random)() % items.size());
  };
  const auto text = [&] {
    std::string text;
    for (std::uint64_t words = (*random)() % 20; words > 0; --words) {
      text += one_of({"tile", "\n", "\"", "\\", "核函数", "NaN", "{", "\t", "🙂", "-Infinity",
                      "</s>", "<think> ", "`", "\x01"});
    }
    return text;
  };
  ModelSample sample;
  sample.task = one_of({"3fa9c0", "level_1_problem_19", "a:b", "musa", "7"});
  sample.backend = one_of({"", "x"}).empty() ? &kCudaBackend : &kMusaBackend;
  sample.attempt = static_cast<std::int64_t>((*random)() % 9);
  sample.turn = static_cast<std::int64_t>(1 + (*random)() % 3);
  sample.model = "m";
  sample.message = "Here:" + text() + "\n```python\nclass ModelNew: pass\n```\n" + text();
  sample.reasoning = "First " + text() + " last";
  sample.finish_reason = one_of({"stop", "length"});
  sample.prompt_tokens = 12;
  const std::uint64_t tokens = (*random)() % 5;
  for (std::uint64_t at = 0; at < tokens; ++at) {
    sample.log_probs.push_back({text(), at, -0.125 * static_cast<double>((*random)() % 80)});
  }
  sample.completion_tokens = static_cast<std::int64_t>(tokens);
  if (tokens == 0) {
    sample.completion_tokens = 5;
    sample.log_prob_problem = kLogProbsAbsent;
  }
  return sample;
}

// What all formats say of a sample.
std::string Described(const ModelSample& sample, bool with_model) {
  Json json = PlainJson(sample);
  json["problem"] = sample.log_prob_problem;
  json["cut"] = sample.Cut();
  if (!with_model) json.as_object().erase("model");
  return json.Dump();
}

TEST(SampleFormat, EveryFormatGivesTheSameSample) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 500; ++round) {
    const ModelSample sample = RandomSample(&random);
    const std::vector<std::pair<std::string, Json>> lines = {
        {"plain", PlainJson(sample)},
        {"openai", BatchJson(sample, "batch_req_1", "reasoning")},
        {"openai", BatchJson(sample, "batch_req_1", "")},
        {"vllm", BatchJson(sample, "vllm-1", "reasoning_content")},
        {"vllm", BatchJson(sample, "vllm-1", "reasoning")},
        {"sglang", ChatJson(sample, "reasoning_content")},
        {"sglang", NativeJson(sample)},
        {"sglang", Json::Object{{"custom_id", NameOf(sample).Text()},
                                {"response", Json::Array{NativeJson(sample)}}}},
    };
    for (const auto& [name, json] : lines) {
      const std::string line = json.Dump();
      const SampleFormat* const recognised = RecogniseSampleFormat(line + "\r");
      ASSERT_NE(recognised, nullptr) << line;
      EXPECT_EQ(recognised->name, name) << line;
      const ParsedSamples parsed = ParseSamples(*recognised, line);
      ASSERT_EQ(parsed.samples.size(), 1u) << parsed.problems.front().detail;
      const bool with_model = line.find("meta_info") == line.npos;
      EXPECT_EQ(Described(parsed.samples[0], with_model), Described(sample, with_model)) << line;
    }
  }
}

TEST(SampleFormat, ALineWithItsRequestHoldsWhatAPlainLineDoes) {
  std::mt19937_64 random(8);
  ModelSample sample = RandomSample(&random);
  sample.sampling = {.temperature = 0.5, .top_p = 1.0, .max_tokens = 9, .seed = 4};
  sample.earlier = {{"system", "Be brief."}, {"user", "Write a kernel."}};
  Json request = Json::Object{
      {"model", "asked"},
      {"temperature", 0.5},
      {"top_p", 1},
      {"seed", 4},
      {"max_completion_tokens", 9},
      {"messages", Json::Array{sample.earlier[0].ToJson(), sample.earlier[1].ToJson()}}};
  Json line = BatchJson(sample, "batch_req_1", "reasoning");
  line["request"] = request;
  const ParsedSamples parsed = ParseSamples(Format("openai"), line.Dump());
  ASSERT_EQ(parsed.samples.size(), 1u);
  EXPECT_EQ(parsed.samples[0].sampling, sample.sampling);
  EXPECT_EQ(parsed.samples[0].earlier, sample.earlier);
  EXPECT_EQ(Described(parsed.samples[0], true), Described(sample, true));
  // The server's name of the model counts, if it says one.
  line["response"]["body"].as_object().erase("model");
  EXPECT_EQ(ParseSamples(Format("openai"), line.Dump()).samples.at(0).model, "asked");
  // A request is read only if it is one.
  for (const Json& other : {Json(), Json(7), Json("x"), Json(Json::Object{{"n", 1}})}) {
    line["request"] = other;
    EXPECT_EQ(ParseSamples(Format("openai"), line.Dump()).samples.size(), 1u) << other.Dump();
  }
  request["messages"] = Json::Array{Json::Object{{"role", "user"}, {"content", 7}}};
  line["request"] = request;
  const ParsedSamples refused = ParseSamples(Format("openai"), line.Dump());
  ASSERT_EQ(refused.problems.size(), 1u);
  EXPECT_THAT(refused.problems[0].detail, HasSubstr("\"request.messages[0].content\""));
}

TEST(SampleFormat, AFileOfKernelBenchEqualsAPlainLineWithCode) {
  const std::string code = "import torch\nclass ModelNew: pass\n";
  const ParsedSamples file =
      ParseSamples(Format("kernelbench"), code, "level_2_problem_7_sample_3_kernel.py");
  const ParsedSamples line = ParseSamples(
      Format("plain"),
      Json(Json::Object{{"task", "level_2_problem_7"}, {"attempt", 3}, {"code", code}}).Dump());
  ASSERT_EQ(file.samples.size(), 1u);
  ASSERT_EQ(line.samples.size(), 1u);
  EXPECT_EQ(Described(file.samples[0], true), Described(line.samples[0], true));
  EXPECT_EQ(file.samples[0].id, "level_2_problem_7_sample_3");
  EXPECT_EQ(file.samples[0].Code(), code);
  for (const auto& [name, text, reason] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"level_2_problem_7_sample_3_kernel.py", "\xFF", "not_utf8"},
           {"level_2_problem_7_kernel.py", code, "bad_sample"},
           {"level_x_problem_7_sample_3_kernel.py", code, "bad_sample"},
           {"notes.txt", code, "bad_sample"}}) {
    const ParsedSamples parsed = ParseSamples(Format("kernelbench"), text, name);
    ASSERT_EQ(parsed.problems.size(), 1u) << name;
    EXPECT_EQ(parsed.problems[0].reason, reason) << name;
  }
}

TEST(SampleFormat, NamesOfRequestsComeBack) {
  for (const std::string& text : {"3fa9:cuda:2", "3fa9:musa:0:t2", "3fa9:t3", "3fa9", "3fa9:cuda",
                                  "a:b:cuda:1", "t2", "7", "cuda", ":7", "3fa9:cuda:4:t2:r0123456789ab",
                                  "3fa9:r0123456789ab", "3fa9:r0123456789AB", "r0123456789ab"}) {
    EXPECT_EQ(CustomId::Parse(text).Text(), text);
  }
  EXPECT_EQ(CustomId::Parse("a:b:cuda:1:t2"), (CustomId{"a:b", &kCudaBackend, 1, 2}));
  EXPECT_EQ(CustomId::Parse("level_1_problem_3_sample_4"),
            (CustomId{"level_1_problem_3", nullptr, 4, 1}));
  EXPECT_EQ(CustomId::Parse("x:cuda:1:t2:r0123456789ab"),
            (CustomId{"x", &kCudaBackend, 1, 2, "0123456789ab"}));
  EXPECT_EQ(CustomId::Parse("x:r0123456789a").task, "x:r0123456789a");
  EXPECT_EQ(CustomId::Parse("x:t0").task, "x:t0");
  EXPECT_EQ(CustomId::Parse("x:99999999999999999999").task, "x:99999999999999999999");
}

TEST(SampleFormat, CountsTheAnswersOfAMessage) {
  const std::string a = "```python\nclass ModelNew: a\n```\n", b = "```\nclass ModelNew: b\n```\n";
  EXPECT_EQ(CountCandidates("Nothing."), 0);
  EXPECT_EQ(CountCandidates(a + "```cpp\nint f();\n```\n"), 1);
  EXPECT_EQ(CountCandidates(a + "Better:\n" + b), 2);
  EXPECT_EQ(CountCandidates(a + "Again:\n" + a), 1);
  EXPECT_EQ(CountCandidates("<think>" + b + "</think>" + a), 1);
  EXPECT_EQ(FindCandidateCode(a + b), "class ModelNew: a\n");
}

// Lines of servers that are no samples.
TEST(SampleFormat, EachOfSeveralChoicesIsASampleOrAProblem) {
  const ParsedSamples parsed = ParseSamples(
      Format("openai"),
      R"({"id": "batch_req_1", "custom_id": "3fa9:cuda:8", "response": {"status_code": 200, "body":)"
      R"( {"model": "m", "usage": {"prompt_tokens": 3, "completion_tokens": 90}, "choices": [)"
      R"({"index": 1, "message": {"content": "b"}, "finish_reason": "length",)"
      R"( "logprobs": {"content": [{"token": "token_id:5", "logprob": -1}]}},)"
      R"({"index": 0, "message": {"content": null, "reasoning": "hm"}, "finish_reason": "length"},)"
      R"({"index": 2, "message": {"content": 7}}, 7, {"index": 4},)"
      R"({"message": {"role": "assistant"}}, {"index": 6, "message": {"content": null,)"
      R"( "refusal": "I will not."}}]}}, "error": null})");
  ASSERT_EQ(parsed.samples.size(), 3u);
  EXPECT_EQ(parsed.samples[0].attempt, 9);
  EXPECT_EQ(parsed.samples[0].id, "3fa9:cuda:8#1");
  EXPECT_EQ(parsed.samples[0].message, "b");
  EXPECT_EQ(parsed.samples[0].completion_tokens, 1);
  EXPECT_EQ(parsed.samples[0].log_probs, (std::vector<TokenLogProb>{{"", 5, -1.0}}));
  EXPECT_EQ(parsed.samples[1].attempt, 8);
  EXPECT_EQ(parsed.samples[1].message, "");
  EXPECT_EQ(parsed.samples[1].reasoning, "hm");
  EXPECT_TRUE(parsed.samples[1].Cut());
  EXPECT_EQ(parsed.samples[1].completion_tokens, std::nullopt);
  EXPECT_EQ(parsed.samples[2].message, "I will not.");
  ASSERT_EQ(parsed.problems.size(), 4u);
  EXPECT_EQ(parsed.problems[0].attempt, 10);
  EXPECT_EQ(parsed.problems[0].task, "3fa9");
  EXPECT_EQ(parsed.problems[0].id, "3fa9:cuda:8#2");
  EXPECT_THAT(parsed.problems[0].detail,
              HasSubstr("\"response.body.choices[2].message.content\" must be a string"));
  EXPECT_THAT(parsed.problems[1].detail, HasSubstr("choices[3]\" must be an object"));
  EXPECT_THAT(parsed.problems[2].detail, HasSubstr("no \"response.body.choices[4].message\""));
  EXPECT_THAT(parsed.problems[3].detail, HasSubstr("choices[5].message.content"));
}

struct Malformed {
  std::string format, line, reason, detail;
};

class MalformedLine : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedLine, IsAProblemWithAReason) {
  const ParsedSamples parsed = ParseSamples(Format(GetParam().format), GetParam().line);
  EXPECT_TRUE(parsed.samples.empty());
  ASSERT_EQ(parsed.problems.size(), 1u);
  EXPECT_EQ(parsed.problems[0].reason, GetParam().reason);
  EXPECT_THAT(parsed.problems[0].detail, HasSubstr(GetParam().detail));
  if (GetParam().line.find("\"custom_id\": \"3fa9:cuda:2\"") == std::string::npos) return;
  EXPECT_EQ(parsed.problems[0].task, "3fa9");
  EXPECT_EQ(parsed.problems[0].attempt, 2);
}

const std::string kRequest = R"({"id": "x", "custom_id": "3fa9:cuda:2", )";

INSTANTIATE_TEST_SUITE_P(
    Samples, MalformedLine,
    testing::Values(
        Malformed{"openai", "[]", "bad_sample", "not a JSON object"},
        Malformed{"openai", "{\"custom_id\": \"\xC3\"}", "not_utf8", ""},
        Malformed{"openai", R"({"response": {"body": {}}})", "bad_sample", "no \"custom_id\""},
        Malformed{"openai", R"({"custom_id": 5, "response": {}})", "bad_sample",
                  "\"custom_id\" must be a string"},
        Malformed{"openai",
                  kRequest + R"("response": null, "error": {"code": "e", "message": "m"}})",
                  "request_failed", "failed: m"},
        Malformed{"vllm", kRequest + R"("response": null, "error": "out of memory"})",
                  "request_failed", "out of memory"},
        Malformed{"vllm",
                  kRequest + R"("response": null, "error": {"error": {"message": "deep"}}})",
                  "request_failed", "deep"},
        Malformed{"vllm", kRequest + R"("error": 5})", "request_failed", "5"},
        Malformed{
            "openai",
            kRequest +
                R"("response": {"status_code": 429, "body": {"error": {"message": "slow"}}}})",
            "request_failed", "status 429: slow"},
        Malformed{"openai", kRequest + R"("response": {"status_code": 500}})", "request_failed",
                  "status 500"},
        Malformed{"openai", kRequest + R"("response": {"status_code": "200", "body": {}}})",
                  "bad_sample", "\"response.status_code\" must be an integer"},
        Malformed{"openai", kRequest + R"("response": null})", "bad_sample", "no \"response\""},
        Malformed{"openai", kRequest + R"("response": []})", "bad_sample",
                  "\"response\" must be an object"},
        Malformed{"openai", kRequest + R"("response": {"status_code": 200}})", "bad_sample",
                  "no \"response.body\""},
        Malformed{"openai", kRequest + R"("response": {"body": {"choices": []}}})", "bad_sample",
                  "no \"response.body.choices\""},
        Malformed{"openai",
                  kRequest + R"("response": {"body": {"choices": [{"message": {}}],)"
                             R"( "usage": {"completion_tokens": "9"}}}})",
                  "bad_sample", "usage.completion_tokens\" must be an integer"},
        Malformed{"sglang", R"({"text": "a", "meta_info": {}})", "bad_sample", "neither"},
        Malformed{"sglang", kRequest + R"("response": {"text": 5, "meta_info": {}}})", "bad_sample",
                  "\"response.text\" must be a string"},
        Malformed{"sglang", kRequest + R"("response": {"text": "a", "meta_info": 5}})",
                  "bad_sample", "\"response.meta_info\" must be an object"},
        Malformed{"sglang", kRequest + R"("response": []})", "bad_sample", "is empty"},
        Malformed{"sglang", kRequest + R"("response": "a"})", "bad_sample", "\"meta_info\""},
        Malformed{"sglang", kRequest + R"("error": {"message": "too long"}})", "request_failed",
                  "too long"},
        Malformed{"sglang",
                  kRequest + R"("response": {"text": "", "meta_info": {"finish_reason":)"
                             R"( {"type": "abort", "message": "lost"}}}})",
                  "request_failed", "gave up: lost"}));

TEST(SampleFormat, SglangRepliesSayHowTheyEnded) {
  const ParsedSamples parsed = ParseSamples(
      Format("sglang"),
      R"({"rid": "3fa9:cuda", "response": [{"text": "a", "meta_info": {"completion_tokens": 2,)"
      R"( "finish_reason": {"type": "length", "length": 2},)"
      R"( "output_token_logprobs": [[-0.5, 11, "x"], [null, 12, null]]}},)"
      R"( {"text": "b", "meta_info": {"completion_tokens": 3, "finish_reason": "stop",)"
      R"( "output_token_logprobs": [[-0.5, 11]]}}, {"text": "c", "meta_info": {)"
      R"("output_token_logprobs": [[-0.5]]}}, {"txet": "d"}]})");
  ASSERT_EQ(parsed.samples.size(), 3u);
  EXPECT_TRUE(parsed.samples[0].Cut());
  EXPECT_EQ(parsed.samples[0].log_prob_problem, kLogProbsNotFinite);
  EXPECT_EQ(parsed.samples[0].log_probs[0], (TokenLogProb{"x", 11, -0.5}));
  EXPECT_EQ(parsed.samples[1].finish_reason, "stop");
  EXPECT_EQ(parsed.samples[1].attempt, 1);
  EXPECT_EQ(parsed.samples[1].log_prob_problem, kLogProbsLength);
  EXPECT_EQ(parsed.samples[2].log_prob_problem, kLogProbsMalformed);
  ASSERT_EQ(parsed.problems.size(), 1u);
  EXPECT_EQ(parsed.problems[0].id, "3fa9:cuda#3");
}

TEST(SampleFormat, RefusesLinesThatAreTooLong) {
  const std::string line(kMostSampleBytes + 1, ' ');
  const ParsedSamples parsed = ParseSamples(Format("plain"), line);
  ASSERT_EQ(parsed.problems.size(), 1u);
  EXPECT_EQ(parsed.problems[0].reason, "too_large");
  EXPECT_EQ(RecogniseSampleFormat(line), nullptr);
}

TEST(SampleFormat, SkipsBlankLinesAndKnowsNoOtherFormat) {
  for (const char* blank : {"", "\r", "  \t", "\xEF\xBB\xBF"}) EXPECT_TRUE(IsBlankLine(blank));
  EXPECT_FALSE(IsBlankLine("{}"));
  for (const char* line : {"{}", "[]", "{", R"({"task": "t"})", R"({"custom_id": "a"})",
                           R"({"text": "a"})", R"({"response": {"text": "a"}})"}) {
    EXPECT_EQ(RecogniseSampleFormat(line), nullptr) << line;
  }
  const auto unknown = FindSampleFormat("parquet");
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.status().message(), HasSubstr("auto, plain"));
}

}  // namespace
}  // namespace kernelmill
