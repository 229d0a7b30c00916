#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "parsers/samples/sample_format.h"
#include "parsers/samples/sample_numbers.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;

ParsedSamples Parse(std::string_view line) {
  return ParseSamples(**FindSampleFormat("plain"), line);
}

// The sample of a line that must hold one.
ModelSample Sample(std::string_view line) {
  const ParsedSamples parsed = Parse(line);
  EXPECT_EQ(parsed.samples.size(), 1u) << line;
  EXPECT_TRUE(parsed.problems.empty()) << parsed.problems.front().detail;
  return parsed.samples.empty() ? ModelSample() : parsed.samples.front();
}

// The problem of a line that must have one, and no sample.
SampleProblem Problem(std::string_view line) {
  const ParsedSamples parsed = Parse(line);
  EXPECT_TRUE(parsed.samples.empty()) << line;
  EXPECT_EQ(parsed.problems.size(), 1u) << line;
  return parsed.problems.empty() ? SampleProblem() : parsed.problems.front();
}

TEST(PlainSamples, HoldAllOfASample) {
  const ModelSample sample = Sample(
      R"({"task": "3fa9", "id": "a", "attempt": 2, "turn": 3, "backend": "musa", "model": "m",)"
      R"( "message": "Here:\n```python\nclass ModelNew: pass\n```", "reasoning": "Because.",)"
      R"( "finish_reason": "length", "prompt_tokens": 10, "completion_tokens": 2,)"
      R"( "sampling": {"temperature": 1, "top_p": 0.95, "top_k": 20, "max_tokens": 99, "seed": 7},)"
      R"( "logprobs": [{"token": "a", "logprob": -0.5, "token_id": 4}, {"logprob": 0}],)"
      R"( "prompt": [{"role": "user", "content": "Write it."}]})");
  EXPECT_EQ(sample.task, "3fa9");
  EXPECT_EQ(sample.id, "a");
  EXPECT_EQ(sample.attempt, 2);
  EXPECT_EQ(sample.turn, 3);
  EXPECT_EQ(sample.backend, &kMusaBackend);
  EXPECT_EQ(sample.model, "m");
  EXPECT_EQ(sample.Code(), "class ModelNew: pass\n");
  EXPECT_EQ(sample.reasoning, "Because.");
  EXPECT_TRUE(sample.Cut());
  EXPECT_EQ(sample.prompt_tokens, 10);
  EXPECT_EQ(sample.completion_tokens, 2);
  EXPECT_EQ(sample.sampling, (SamplingParameters{1.0, 0.95, 20, 99, 7}));
  EXPECT_EQ(sample.log_probs, (std::vector<TokenLogProb>{{"a", 4, -0.5}, {"", {}, 0}}));
  EXPECT_EQ(sample.log_prob_problem, "");
  EXPECT_EQ(sample.earlier, (std::vector<Message>{{"user", "Write it."}}));
}

TEST(PlainSamples, NeedATaskAndAnAnswerOnly) {
  const ModelSample code =
      Sample("\xEF\xBB\xBF{\"task\": \"t\", \"code\": \"<think> is no block\"}");
  EXPECT_TRUE(code.code_only);
  EXPECT_EQ(code.Code(), "<think> is no block");
  EXPECT_EQ(code.attempt, std::nullopt);
  EXPECT_EQ(code.backend, nullptr);
  EXPECT_EQ(code.log_prob_problem, kLogProbsAbsent);
  const ModelSample refusal = Sample(R"({"task": "t", "message": "No.", "id": null})");
  EXPECT_FALSE(refusal.code_only);
  EXPECT_EQ(refusal.Code(), std::nullopt);
}

TEST(PlainSamples, SeparateTheReasoningFromTheMessage) {
  const auto split = [](const std::string& message, const std::string& more = "") {
    return Sample("{\"task\": \"t\", \"message\": " + Json(message).Dump() + more + "}");
  };
  const ModelSample block = split("\n<think>\nFirst.\n</think>\n\nThe answer.");
  EXPECT_EQ(block.reasoning, "First.");
  EXPECT_EQ(block.message, "The answer.");
  EXPECT_FALSE(block.Cut());
  const ModelSample from_template = split("First.</think>The answer.");
  EXPECT_EQ(from_template.reasoning, "First.");
  EXPECT_EQ(from_template.message, "The answer.");
  const ModelSample both = split("<think>Second.</think>A.", ", \"reasoning\": \"First.\"");
  EXPECT_EQ(both.reasoning, "First.\n\nSecond.");
  const ModelSample cut = split("<think>I will now write ```python\nclass ModelNew: pass\n```");
  EXPECT_EQ(cut.message, "");
  EXPECT_TRUE(cut.Cut());
  EXPECT_EQ(cut.Code(), std::nullopt);
  EXPECT_THAT(cut.reasoning, HasSubstr("I will now write"));
  EXPECT_EQ(split("No block <think> here.").message, "No block <think> here.");
}

TEST(PlainSamples, SayWhyLogProbsCannotBeUsed) {
  const auto with = [](const std::string& fields) {
    return Sample(R"({"task": "t", "code": "NaN \" NaN", )" + fields + "}");
  };
  EXPECT_EQ(with(R"("logprobs": null)").log_prob_problem, kLogProbsAbsent);
  EXPECT_EQ(with(R"("logprobs": [])").log_prob_problem, kLogProbsAbsent);
  EXPECT_EQ(with(R"("logprobs": [{"logprob": -1}], "completion_tokens": 2)").log_prob_problem,
            kLogProbsLength);
  EXPECT_EQ(with(R"("logprobs": [{"logprob": -1}])").completion_tokens, 1);
  for (const char* value : {"NaN", "-Infinity", "Infinity", "null", "-9999.0"}) {
    const ModelSample sample = with(R"("logprobs": [{"logprob": )" + std::string(value) + "}]");
    EXPECT_EQ(sample.log_prob_problem, kLogProbsNotFinite) << value;
    ASSERT_EQ(sample.log_probs.size(), 1u);
    EXPECT_TRUE(std::isnan(sample.log_probs[0].log_prob));
    EXPECT_EQ(sample.message, "NaN \" NaN");
  }
  EXPECT_EQ(with(R"("logprobs": [{"logprob": "much"}])").log_prob_problem, kLogProbsMalformed);
  EXPECT_EQ(with(R"("logprobs": {"content": 1})").log_prob_problem, kLogProbsMalformed);
  EXPECT_EQ(with(R"("logprobs": [3])").log_prob_problem, kLogProbsMalformed);
}

TEST(PlainSamples, KeepWhatIsReadableOfAMalformedLine) {
  const SampleProblem wrong = Problem(R"({"task": "t", "id": "a", "attempt": 3, "code": 7})");
  EXPECT_EQ(wrong.reason, "bad_sample");
  EXPECT_THAT(wrong.detail, HasSubstr("\"code\" must be a string, it is of type integer"));
  EXPECT_EQ(wrong.task, "t");
  EXPECT_EQ(wrong.id, "a");
  EXPECT_EQ(wrong.attempt, 3);
}

TEST(PlainSamples, RefuseWhatIsMalformed) {
  const auto detail = [](const std::string& line) { return Problem(line).detail; };
  EXPECT_EQ(Problem("{\"task\": \"t\", \"code\": \"\xFF\"}").reason, "not_utf8");
  EXPECT_EQ(Problem("{\"task\": \"t\", ").reason, "bad_sample");
  EXPECT_THAT(detail("[1]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(detail("7"), HasSubstr("not a JSON object"));
  EXPECT_THAT(detail(R"({"code": ""})"), HasSubstr("no \"task\""));
  EXPECT_THAT(detail(R"({"task": "", "code": ""})"), HasSubstr("no \"task\""));
  EXPECT_THAT(detail(R"({"task": 7, "code": ""})"), HasSubstr("\"task\" must be a string"));
  EXPECT_THAT(detail(R"({"task": "t"})"), HasSubstr("\"code\" or \"message\""));
  EXPECT_THAT(detail(R"({"task": "t", "code": null})"), HasSubstr("\"code\" or \"message\""));
  EXPECT_THAT(detail(R"({"task": "t", "code": "", "message": ""})"), HasSubstr("both"));
  EXPECT_THAT(detail(R"({"task": "t", "code": "", "smaple": 1})"), HasSubstr("no key \"smaple\""));
  EXPECT_THAT(detail(R"({"task": "t", "code": "", "backend": "rocm"})"),
              HasSubstr("\"backend\" is \"rocm\""));
  EXPECT_THAT(detail(R"({"task": "t", "code": "", "turn": 0})"), HasSubstr("counts from 1"));
  EXPECT_THAT(detail(R"({"task": "t", "code": "", "attempt": -1})"), HasSubstr("not be negative"));
  EXPECT_THAT(detail(R"({"task": "t", "code": "", "attempt": 1.5})"), HasSubstr("an integer"));
  EXPECT_THAT(detail(R"({"task": "t", "code": "", "sampling": {"top_q": 1}})"),
              HasSubstr("no key \"sampling.top_q\""));
  EXPECT_THAT(detail(R"({"task": "t", "code": "", "prompt": [{"role": "user"}]})"),
              HasSubstr("\"prompt\""));
  EXPECT_THAT(
      detail(R"({"task": "t", "code": "", "prompt": [{"role": "root", "content": "x"}]})"),
      HasSubstr("\"prompt\": there is no role \"root\", it can be system, developer, user"));
  EXPECT_THAT(detail(R"({"task": "t", "task": "u", "code": ""})"), HasSubstr("task"));
}

TEST(PlainSamples, AreNumberedInTheirOrder) {
  SampleNumbers numbers;
  const auto attempt = [&](const std::string& fields) {
    ModelSample sample = Sample("{\"code\": \"\"" + fields + "}");
    const std::optional<SampleProblem> problem = numbers.Add(&sample);
    if (problem) {
      EXPECT_EQ(problem->reason, "duplicate_sample");
      return std::string(problem->detail);
    }
    return std::to_string(sample.attempt.value_or(-1));
  };
  EXPECT_EQ(attempt(R"(, "task": "t")"), "0");
  EXPECT_EQ(attempt(R"(, "task": "u", "id": "a")"), "0");
  EXPECT_EQ(attempt(R"(, "task": "t")"), "1");
  EXPECT_EQ(attempt(R"(, "task": "t", "backend": "musa")"), "0");
  // It says neither that it goes on with attempt 0 nor with 1.
  EXPECT_EQ(attempt(R"(, "task": "t", "turn": 2)"), "2");
  EXPECT_EQ(attempt(R"(, "task": "t", "attempt": 3)"), "3");
  EXPECT_EQ(attempt(R"(, "task": "t", "attempt": 4)"), "4");
  EXPECT_EQ(attempt(R"(, "task": "t")"), "5");
  EXPECT_THAT(attempt(R"(, "task": "t", "attempt": 1)"), HasSubstr("attempt 1 of task t"));
  EXPECT_EQ(attempt(R"(, "task": "t", "attempt": 1, "turn": 2)"), "1");
  EXPECT_THAT(attempt(R"(, "task": "w", "id": "a")"), HasSubstr("the id a occurs twice"));
}

}  // namespace
}  // namespace kernelmill
