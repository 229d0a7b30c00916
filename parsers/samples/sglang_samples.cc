#include "parsers/samples/sglang_samples.h"

#include "parsers/samples/chat_completion.h"
#include "parsers/samples/reasoning_block.h"
#include "parsers/samples/sample_fields.h"
#include "parsers/samples/token_log_probs.h"

namespace kernelmill {
namespace {

bool IsNative(const Json& reply) {
  return reply.Find("text") != nullptr && reply.Find("meta_info") != nullptr;
}

bool IsReply(const Json& reply) { return IsNative(reply) || reply.Find("choices") != nullptr; }

// The name of the request: beside the reply or, if that says nothing, in it.
std::string CustomIdOf(const Json& line, const Json& reply) {
  for (const std::string_view key : {"custom_id", "rid"}) {
    if (std::string id = line.TextAt(key); !id.empty()) return id;
  }
  const Json* const meta = reply.Find("meta_info");
  return meta == nullptr ? reply.TextAt("id") : meta->TextAt("id");
}

// The type of a finish_reason, which older versions wrote as a text. `message` is set if the server
// has given up.
std::string FinishOf(const Json* reason, std::string* message) {
  if (reason == nullptr) return "";
  if (reason->is_string()) return reason->as_string();
  const std::string type = reason->TextAt("type");
  if (type == "abort") *message = ErrorText(*reason);
  return type;
}

// Adds the sample or the problem of one reply of /generate. `index` of `count` replies.
void AddNative(const Json& reply, const std::string& custom_id, const std::string& place,
               std::size_t index, std::size_t count, ParsedSamples* parsed) {
  ModelSample sample = SampleOfRequest(custom_id);
  if (count > 1) {
    sample.attempt = sample.attempt.value_or(0) + static_cast<std::int64_t>(index);
    sample.id += '#' + std::to_string(index);
  }
  std::string reason = "bad_sample", problem;
  if (IsNative(reply)) {
    SampleFields fields(reply, place);
    const Json* const text = reply.Find("text");
    if (text->is_string()) {
      SetMessage(text->as_string(), &sample);
    } else {
      fields.Fail("\"" + fields.Name("text") + "\" must be a string");
    }
    if (const Json* const meta = fields.RequiredObject("meta_info")) {
      SampleFields of_meta(*meta, place + "meta_info.");
      std::string aborted;
      sample.finish_reason = FinishOf(meta->Find("finish_reason"), &aborted);
      sample.prompt_tokens = of_meta.Count("prompt_tokens");
      sample.completion_tokens = of_meta.Count("completion_tokens");
      ReadLogProbTriples(meta->Find("output_token_logprobs"), &sample);
      CheckLogProbLength(&sample);
      if (!aborted.empty()) {
        reason = "request_failed";
        fields.Fail("the server gave up: " + aborted);
      }
      if (!of_meta.problem().empty()) fields.Fail(of_meta.problem());
    }
    problem = fields.problem();
  } else {
    problem = "a reply has \"text\" and \"meta_info\"";
  }
  if (problem.empty()) {
    parsed->samples.push_back(std::move(sample));
    return;
  }
  parsed->problems.push_back({.reason = std::move(reason),
                              .detail = std::move(problem),
                              .task = sample.task,
                              .id = sample.id,
                              .attempt = sample.attempt});
}

}  // namespace

bool IsSglangReply(const Json& line) {
  if (IsReply(line)) return true;
  const Json* const response = line.Find("response");
  if (response == nullptr || (!line.Find("custom_id") && !line.Find("rid"))) return false;
  if (!response->is_array()) return IsReply(*response);
  return !response->as_array().empty() && IsReply(response->as_array().front());
}

ParsedSamples ParseSglangReply(const Json& line) {
  const Json* const response = line.Find("response");
  const Json& reply = response == nullptr ? line : *response;
  const std::string place = response == nullptr ? "" : "response.";
  const std::string custom_id = CustomIdOf(line, reply);
  if (custom_id.empty()) {
    return {{},
            {{.reason = "bad_sample",
              .detail = "it has neither \"custom_id\", nor \"rid\", nor an id of the reply"}}};
  }
  for (const Json* object : {&line, &reply}) {
    if (const Json* error = object->Find("error"); error != nullptr && !error->is_null()) {
      return RequestProblem(custom_id, "request_failed",
                            "the request failed: " + ErrorText(*error));
    }
  }
  if (reply.Find("choices") != nullptr) return ParseChatCompletion(reply, custom_id, place);
  ParsedSamples parsed;
  if (!reply.is_array()) {
    AddNative(reply, custom_id, place, 0, 1, &parsed);
    return parsed;
  }
  const Json::Array& replies = reply.as_array();
  if (replies.empty()) return RequestProblem(custom_id, "bad_sample", "\"response\" is empty");
  for (std::size_t at = 0; at < replies.size(); ++at) {
    AddNative(replies[at], custom_id, "response[" + std::to_string(at) + "].", at, replies.size(),
              &parsed);
  }
  return parsed;
}

}  // namespace kernelmill
