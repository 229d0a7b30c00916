#include "stages/pack/trainers/sampling_request.h"

#include "parsers/samples/custom_id.h"
#include "stages/pack/trainers/trained_turn.h"

namespace kernelmill {
namespace {

constexpr char kOpenai[] = "openai", kVllm[] = "vllm", kSglangGenerate[] = "sglang-generate",
               kSglangChat[] = "sglang-chat";
constexpr char kChatPath[] = "/v1/chat/completions";

CustomId NameOf(const TaskQuestion& question, std::int64_t samples) {
  CustomId id{.task = question.task_id.Hex(),
              .backend = question.backend,
              .turn = question.turn,
              .retry = question.retry};
  // Attempts of the next question about the same task follow those of this one.
  if (question.number > 0 || question.turn > 1) id.attempt = question.number * samples;
  return id;
}

void SetSampling(const SamplingOptions& options, const char* most_tokens, Json::Object* object) {
  if (options.temperature) (*object)["temperature"] = *options.temperature;
  if (options.top_p) (*object)["top_p"] = *options.top_p;
  if (options.max_tokens) (*object)[most_tokens] = *options.max_tokens;
}

Json::Object ChatBody(const TaskQuestion& question, const SamplingOptions& options) {
  Json::Object body{{"model", options.model}, {"messages", MessagesJson(question.messages)}};
  SetSampling(options, "max_completion_tokens", &body);
  return body;
}

Json::Object BatchLine(const TaskQuestion& question, const SamplingOptions& options) {
  Json::Object body = ChatBody(question, options);
  body["n"] = options.samples;
  if (options.form == kVllm) body["logprobs"] = true;
  return {{"custom_id", NameOf(question, options.samples).Text()},
          {"method", "POST"},
          {"url", kChatPath},
          {"body", std::move(body)}};
}

Json::Object SglangLine(const TaskQuestion& question, const SamplingOptions& options) {
  if (options.form == kSglangChat) {
    Json::Object body = ChatBody(question, options);
    body["logprobs"] = true;
    return body;
  }
  std::string text;
  for (const Message& message : FoldedTurns(question.messages)) {
    text += (text.empty() ? "" : "\n\n") + message.content;
  }
  Json::Object parameters;
  SetSampling(options, "max_new_tokens", &parameters);
  return {{"text", text}, {"sampling_params", std::move(parameters)}, {"return_logprob", true}};
}

}  // namespace

const std::vector<std::string>& SamplingForms() {
  static const std::vector<std::string> kForms = {kOpenai, kVllm, kSglangGenerate, kSglangChat};
  return kForms;
}

std::vector<Json::Object> RequestsOf(const TaskQuestion& question, const SamplingOptions& options) {
  if (options.form == kOpenai || options.form == kVllm) return {BatchLine(question, options)};
  std::vector<Json::Object> lines;
  CustomId id = NameOf(question, options.samples);
  const std::int64_t first = id.attempt.value_or(0);
  for (std::int64_t i = 0; i < options.samples; ++i) {
    id.attempt = first + i;
    Json::Object line = SglangLine(question, options);
    line["rid"] = id.Text();
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace kernelmill
