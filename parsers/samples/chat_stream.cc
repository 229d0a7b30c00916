#include "parsers/samples/chat_stream.h"

#include <utility>

#include "manifests/printable.h"
#include "parsers/samples/chat_completion.h"

namespace kernelmill {
namespace {

constexpr std::string_view kEnd = "[DONE]";

bool Says(const Json* value) { return value != nullptr && !value->is_null(); }

void AddItems(const Json* items, Json* list) {
  if (items == nullptr || !items->is_array()) return;
  if (!list->is_array()) *list = Json::Array();
  Json::Array& array = list->as_array();
  array.insert(array.end(), items->as_array().begin(), items->as_array().end());
}

}  // namespace

void ChatStream::Fail(std::string problem) {
  if (problem_.empty()) problem_ = std::move(problem);
}

void ChatStream::TakeChoice(const Json& chunk) {
  if (!chunk.is_object()) return Fail("a choice of a chunk is no object: " + chunk.Dump());
  Choice& choice = choices_[chunk.IntegerAt("index")];
  if (const Json* const delta = chunk.Find("delta"); delta != nullptr && delta->is_object()) {
    for (const auto& [key, value] : delta->as_object()) {
      if (value.is_null()) continue;
      if (value.is_string() && key != "role") {
        choice.texts[key] += value.as_string();
      } else {
        choice.message[key] = value;
      }
    }
  }
  if (const Json* const finish = chunk.Find("finish_reason"); Says(finish)) {
    choice.others["finish_reason"] = *finish;
  }
  if (const Json* const log_probs = chunk.Find("logprobs"); Says(log_probs)) {
    AddItems(log_probs->Find("content"), &choice.others["logprobs"]["content"]);
  }
  if (const Json* const ids = chunk.Find("token_ids"); Says(ids)) {
    AddItems(ids, &choice.others["token_ids"]);
  }
}

void ChatStream::TakeEvent(std::string_view data) {
  if (data == kEnd) return;
  const Result<Json> chunk = Json::Parse(data);
  if (!chunk.ok() || !chunk->is_object()) {
    return Fail("an event of the stream is no JSON object: " + PrintableLine(data));
  }
  if (const Json* const error = chunk->Find("error"); Says(error)) {
    return Fail("the server stopped with an error: " + PrintableLine(ErrorText(*error)));
  }
  for (const auto& [key, value] : chunk->as_object()) {
    if (key != "choices" && !value.is_null()) body_[key] = value;
  }
  if (const Json* const choices = chunk->Find("choices"); Says(choices) && choices->is_array()) {
    for (const Json& choice : choices->as_array()) TakeChoice(choice);
  }
}

void ChatStream::Feed(std::string_view bytes) {
  events_.Feed(bytes, [this](std::string_view data) { TakeEvent(data); });
}

ChatStream::Outcome ChatStream::Finish() {
  events_.Finish([this](std::string_view data) { TakeEvent(data); });
  if (!problem_.empty()) return {.problem = problem_};
  if (choices_.empty()) return {.problem = "the stream has no choices"};
  Json::Array choices;
  for (auto& [index, choice] : choices_) {
    if (!choice.others.contains("finish_reason")) {
      return {.problem = "the stream ended in the middle of choice " + std::to_string(index),
              .cut = true};
    }
    Json::Object& message = choice.message;
    message.try_emplace("role", "assistant");
    message.try_emplace("content", nullptr);
    for (auto& [key, text] : choice.texts) message[key] = std::move(text);
    choice.others["index"] = index;
    choice.others["message"] = std::move(message);
    choices.emplace_back(std::move(choice.others));
  }
  body_["choices"] = std::move(choices);
  body_["object"] = "chat.completion";
  return {.body = std::move(body_)};
}

}  // namespace kernelmill
