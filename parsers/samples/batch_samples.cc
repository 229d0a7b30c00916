#include "parsers/samples/batch_samples.h"

#include "parsers/samples/chat_completion.h"
#include "parsers/samples/chat_request.h"
#include "parsers/samples/sample_fields.h"

namespace kernelmill {
namespace {

constexpr std::int64_t kHttpOk = 200;

}  // namespace

bool IsVllmBatchLine(const Json& line) {
  return line.Find("custom_id") != nullptr && line.TextAt("id").starts_with("vllm-");
}

bool IsOpenaiBatchLine(const Json& line) {
  const Json* const response = line.Find("response");
  return line.Find("custom_id") != nullptr &&
         (line.TextAt("id").starts_with("batch_req_") ||
          (response != nullptr && response->Find("body") != nullptr));
}

ParsedSamples ParseBatchLine(const Json& line) {
  SampleFields fields(line);
  const std::string custom_id = fields.RequiredText("custom_id");
  if (!fields.problem().empty()) {
    return {{}, {{.reason = "bad_sample", .detail = fields.problem()}}};
  }
  if (const Json* error = line.Find("error"); error != nullptr && !error->is_null()) {
    return RequestProblem(custom_id, "request_failed", "the request failed: " + ErrorText(*error));
  }
  const auto malformed = [&](const SampleFields& object) {
    return RequestProblem(custom_id, "bad_sample", object.problem());
  };
  const Json* const response = fields.RequiredObject("response");
  if (response == nullptr) return malformed(fields);
  SampleFields of_response(*response, "response.");
  const std::int64_t code = of_response.Count("status_code").value_or(kHttpOk);
  const Json* const body = of_response.Object("body");
  const Json* const error = body == nullptr ? nullptr : body->Find("error");
  const bool failed = error != nullptr && !error->is_null();
  if (of_response.problem().empty() && (code != kHttpOk || failed)) {
    return RequestProblem(custom_id, "request_failed",
                          "the server answered with status " + std::to_string(code) +
                              (body == nullptr ? "" : ": " + ErrorText(failed ? *error : *body)));
  }
  of_response.RequiredObject("body");
  if (!of_response.problem().empty()) return malformed(of_response);
  ParsedSamples parsed = ParseChatCompletion(*body, custom_id, "response.body.");
  if (const Json* const request = line.Find("request");
      request != nullptr && request->Find("messages") != nullptr) {
    ModelSample asked;
    SampleFields of_request(*request, "request.");
    ReadChatRequest(&of_request, &asked);
    if (!of_request.problem().empty()) return malformed(of_request);
    for (ModelSample& sample : parsed.samples) {
      if (sample.model.empty()) sample.model = asked.model;
      sample.sampling = asked.sampling;
      sample.earlier = asked.earlier;
    }
  }
  return parsed;
}

}  // namespace kernelmill
