#include "stages/ask/asked_prompt.h"

#include "corpora/token_estimate.h"
#include "parsers/samples/chat_request.h"

namespace kernelmill {
namespace {

constexpr std::string_view kChatPath = "/chat/completions";

// Sets a key of `body` if there is a value.
template <typename T>
void Change(const std::optional<T>& value, const std::string& key, Json::Object* body) {
  if (value) (*body)[key] = *value;
}

void Apply(const AskChanges& changes, Json::Object* body) {
  if (!changes.model.empty()) (*body)["model"] = changes.model;
  Change(changes.temperature, "temperature", body);
  Change(changes.top_p, "top_p", body);
  Change(changes.seed, "seed", body);
  if (!changes.max_tokens) return;
  for (const std::string_view key : kMostTokensKeys) body->erase(std::string(key));
  Change(changes.max_tokens, std::string(kMostTokensKeys[0]), body);
}

// The name and the body of a line.
struct NamedBody {
  std::string name;
  Json::Object body;
};

// A problem of the line, or "".
std::string ReadLine(const Json& line, NamedBody* read) {
  if (!line.is_object()) return "it is no JSON object";
  SampleFields fields(line);
  if (line.Find("rid") != nullptr && line.Find("text") != nullptr) {
    return "it is for SGLang's /generate, which is no chat; export the prompts with "
           "--requests openai";
  }
  if (line.Find("rid") != nullptr) {
    read->name = fields.RequiredText("rid");
    read->body = line.as_object();
    read->body.erase("rid");
    return fields.problem();
  }
  read->name = fields.RequiredText("custom_id");
  const std::string url = fields.Text("url");
  if (!url.empty() && !url.ends_with(kChatPath)) {
    fields.Fail("\"url\" is " + url + ", and only /v1" + std::string(kChatPath) + " is asked");
  }
  if (const Json* const body = fields.RequiredObject("body")) read->body = body->as_object();
  return fields.problem();
}

}  // namespace

Result<AskedPrompt> AskedPrompt::Of(const Json& line, const std::string& place,
                                    const AskChanges& changes) {
  NamedBody read;
  std::string problem = ReadLine(line, &read);
  AskedPrompt prompt;
  prompt.place = place;
  if (problem.empty()) {
    Apply(changes, &read.body);
    const Json body(read.body);
    SampleFields fields(body, "body.");
    ModelSample asked;
    ReadChatRequest(&fields, &asked);
    fields.RequiredText("model");
    prompt.samples = changes.samples.value_or(fields.Count("n").value_or(1));
    prompt.max_tokens = asked.sampling.max_tokens.value_or(0);
    problem = fields.problem();
    prompt.tokens = EstimateTokens(asked.earlier);
  }
  if (!problem.empty()) return Status(ErrorCode::kCorrupt, place + ": " + problem);
  if (prompt.samples < 1)
    return Status(ErrorCode::kCorrupt, place + ": \"body.n\" must be at least 1");
  prompt.name = CustomId::Parse(read.name);
  prompt.first = prompt.name.attempt.value_or(0);
  prompt.name.attempt.reset();
  for (const std::string_view key : kFormKeys) read.body.erase(std::string(key));
  prompt.body = Json(std::move(read.body)).Dump();
  return prompt;
}

Json::Object AskedPrompt::BodyFrom(std::int64_t attempt) const {
  Json::Object object = Json::Parse(body)->as_object();
  MoveSeed(attempt, &object);
  return object;
}

void MoveSeed(std::int64_t attempts, Json::Object* body) {
  const auto seed = body->find("seed");
  if (seed != body->end() && seed->second.is_int()) {
    seed->second = seed->second.as_int() + attempts;
  }
}

}  // namespace kernelmill
