// Writes a ModelSample as a line of each format of samples, as the servers would.
#pragma once

#include <cmath>
#include <string>

#include "parsers/samples/custom_id.h"
#include "parsers/samples/model_sample.h"

namespace kernelmill {

inline CustomId NameOf(const ModelSample& sample) {
  return {sample.task, sample.backend, sample.attempt, sample.turn};
}

inline Json OrNull(const std::optional<std::int64_t>& value) {
  return value ? Json(*value) : Json();
}

inline Json LogProbJson(double value) { return std::isfinite(value) ? Json(value) : Json(); }

inline Json LogProbContent(const ModelSample& sample) {
  Json::Array content;
  for (const TokenLogProb& token : sample.log_probs) {
    Json::Object item = {{"token", token.token}, {"logprob", LogProbJson(token.log_prob)}};
    if (token.id) item["token_id"] = *token.id;
    content.push_back(std::move(item));
  }
  return content;
}

inline Json PlainJson(const ModelSample& sample) {
  Json::Object line = {{"task", sample.task}, {"turn", sample.turn}};
  line[sample.code_only ? "code" : "message"] = sample.message;
  if (sample.attempt) line["attempt"] = *sample.attempt;
  if (sample.backend != nullptr) line["backend"] = sample.backend->name;
  if (!sample.model.empty()) line["model"] = sample.model;
  if (!sample.reasoning.empty()) line["reasoning"] = sample.reasoning;
  if (!sample.finish_reason.empty()) line["finish_reason"] = sample.finish_reason;
  line["prompt_tokens"] = OrNull(sample.prompt_tokens);
  line["completion_tokens"] = OrNull(sample.completion_tokens);
  if (sample.log_prob_problem != kLogProbsAbsent) line["logprobs"] = LogProbContent(sample);
  return line;
}

// `reasoning_key`: "reasoning", "reasoning_content", or "" for a <think> block in the content.
inline Json ChatJson(const ModelSample& sample, const std::string& reasoning_key) {
  Json::Object message = {{"role", "assistant"}, {"content", sample.message}};
  if (!sample.reasoning.empty() && reasoning_key.empty()) {
    message["content"] = "<think>\n" + sample.reasoning + "\n</think>\n\n" + sample.message;
  } else if (!sample.reasoning.empty()) {
    message[reasoning_key] = sample.reasoning;
  }
  Json::Object choice = {{"index", 0}, {"message", std::move(message)}, {"logprobs", Json()}};
  choice["finish_reason"] = sample.finish_reason.empty() ? Json() : Json(sample.finish_reason);
  if (sample.log_prob_problem != kLogProbsAbsent) {
    choice["logprobs"] = Json::Object{{"content", LogProbContent(sample)}};
  }
  Json::Object body = {{"id", NameOf(sample).Text()},
                       {"object", "chat.completion"},
                       {"model", sample.model},
                       {"choices", Json::Array{std::move(choice)}}};
  body["usage"] = Json::Object{{"prompt_tokens", OrNull(sample.prompt_tokens)},
                               {"completion_tokens", OrNull(sample.completion_tokens)}};
  return body;
}

inline Json BatchJson(const ModelSample& sample, const std::string& id,
                      const std::string& reasoning_key) {
  return Json::Object{{"id", id},
                      {"custom_id", NameOf(sample).Text()},
                      {"response", Json::Object{{"status_code", 200},
                                                {"request_id", "r"},
                                                {"body", ChatJson(sample, reasoning_key)}}},
                      {"error", Json()}};
}

// A reply of /generate, which has no name of the model.
inline Json NativeJson(const ModelSample& sample) {
  Json::Object meta = {{"id", NameOf(sample).Text()},
                       {"prompt_tokens", OrNull(sample.prompt_tokens)},
                       {"completion_tokens", OrNull(sample.completion_tokens)}};
  if (!sample.finish_reason.empty()) {
    meta["finish_reason"] = Json::Object{{"type", sample.finish_reason}};
  }
  if (sample.log_prob_problem != kLogProbsAbsent) {
    Json::Array triples;
    for (const TokenLogProb& token : sample.log_probs) {
      triples.push_back(
          Json::Array{LogProbJson(token.log_prob), token.id.value_or(0), Json(token.token)});
    }
    meta["output_token_logprobs"] = std::move(triples);
  }
  return Json::Object{{"text", "<think>" + sample.reasoning + "</think>" + sample.message},
                      {"meta_info", std::move(meta)}};
}

}  // namespace kernelmill
