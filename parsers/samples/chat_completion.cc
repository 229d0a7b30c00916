#include "parsers/samples/chat_completion.h"

#include "parsers/samples/custom_id.h"
#include "parsers/samples/reasoning_block.h"
#include "parsers/samples/sample_fields.h"
#include "parsers/samples/token_log_probs.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostErrorBytes = 500;

bool IsThere(const Json& object, std::string_view key) {
  const Json* const value = object.Find(key);
  return value != nullptr && !value->is_null();
}

// Reads what a model wrote. An answer may be empty: a model that was cut while it reasoned has
// null for its content, and one that refuses has a refusal instead.
void ReadMessage(const Json& message, SampleFields* fields, ModelSample* sample) {
  sample->reasoning =
      fields->Text(IsThere(message, "reasoning") ? "reasoning" : "reasoning_content");
  const std::string refusal = fields->Text("refusal");
  if (message.Find("content") == nullptr && sample->reasoning.empty() && refusal.empty()) {
    fields->Fail("there is no \"" + fields->Name("content") + '"');
  }
  SetMessage(IsThere(message, "content") ? fields->Text("content") : refusal, sample);
}

// Fills in the sample of one choice; a problem, or "".
std::string ReadChoice(const Json& choice, const std::string& place, ModelSample* sample) {
  SampleFields fields(choice, place);
  if (IsThere(choice, "text") && !IsThere(choice, "message")) {
    SetMessage(fields.Text("text"), sample);  // The API for completions without chat.
  } else if (const Json* const message = fields.RequiredObject("message")) {
    SampleFields of_message(*message, place + "message.");
    ReadMessage(*message, &of_message, sample);
    if (!of_message.problem().empty()) fields.Fail(of_message.problem());
  }
  sample->finish_reason = fields.Text("finish_reason");
  const Json* const log_probs = choice.Find("logprobs");
  ReadLogProbContent(log_probs == nullptr ? nullptr : log_probs->Find("content"),
                     choice.Find("token_ids"), sample);
  return fields.problem();
}

}  // namespace

ModelSample SampleOfRequest(const std::string& custom_id) {
  const CustomId name = CustomId::Parse(custom_id);
  ModelSample sample;
  sample.task = name.task;
  sample.id = custom_id;
  sample.attempt = name.attempt;
  sample.turn = name.turn;
  sample.retry = name.retry;
  sample.backend = name.backend;
  return sample;
}

ParsedSamples RequestProblem(const std::string& custom_id, std::string reason, std::string detail) {
  const CustomId name = CustomId::Parse(custom_id);
  return {{},
          {{.reason = std::move(reason),
            .detail = std::move(detail),
            .task = name.task,
            .id = custom_id,
            .attempt = name.attempt}}};
}

std::string ErrorText(const Json& error) {
  std::string text = error.is_string() ? error.as_string() : error.TextAt("message");
  if (const Json* inner = error.Find("error"); text.empty() && inner != nullptr) {
    text = ErrorText(*inner);
  }
  if (text.empty()) text = error.Dump();
  if (text.size() <= kMostErrorBytes) return text;
  std::size_t end = kMostErrorBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

ParsedSamples ParseChatCompletion(const Json& body, const std::string& custom_id,
                                  const std::string& place) {
  SampleFields fields(body, place);
  const std::string model = fields.Text("model");
  const Json* const choices = fields.RequiredArray("choices");
  std::optional<std::int64_t> prompt_tokens, completion_tokens;
  if (const Json* const usage = fields.Object("usage")) {
    SampleFields of_usage(*usage, place + "usage.");
    prompt_tokens = of_usage.Count("prompt_tokens");
    completion_tokens = of_usage.Count("completion_tokens");
    if (!of_usage.problem().empty()) fields.Fail(of_usage.problem());
  }
  if (!fields.problem().empty()) return RequestProblem(custom_id, "bad_sample", fields.problem());
  ParsedSamples parsed;
  const std::size_t count = choices->as_array().size();
  for (std::size_t at = 0; at < count; ++at) {
    const Json& choice = choices->as_array()[at];
    const std::string choice_place = place + "choices[" + std::to_string(at) + "].";
    ModelSample sample = SampleOfRequest(custom_id);
    std::int64_t index = static_cast<std::int64_t>(at);
    std::string problem;
    if (choice.is_object()) {
      SampleFields of_choice(choice, choice_place);
      index = of_choice.Count("index").value_or(index);
      problem = of_choice.problem();
      if (problem.empty()) problem = ReadChoice(choice, choice_place, &sample);
    } else {
      problem = "\"" + choice_place.substr(0, choice_place.size() - 1) + "\" must be an object";
    }
    if (count > 1) {
      sample.attempt = sample.attempt.value_or(0) + index;
      sample.id += '#' + std::to_string(index);
    }
    if (!problem.empty()) {
      parsed.problems.push_back({.reason = "bad_sample",
                                 .detail = std::move(problem),
                                 .task = sample.task,
                                 .id = sample.id,
                                 .attempt = sample.attempt});
      continue;
    }
    sample.model = model;
    sample.prompt_tokens = prompt_tokens;
    // Of several choices, the usage only says the sum.
    if (count == 1) sample.completion_tokens = completion_tokens;
    CheckLogProbLength(&sample);
    parsed.samples.push_back(std::move(sample));
  }
  return parsed;
}

}  // namespace kernelmill
