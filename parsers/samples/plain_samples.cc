#include "parsers/samples/plain_samples.h"

#include <algorithm>

#include "manifests/is_one_of.h"
#include "parsers/samples/chat_request.h"
#include "parsers/samples/custom_id.h"
#include "parsers/samples/reasoning_block.h"
#include "parsers/samples/sample_fields.h"
#include "parsers/samples/token_log_probs.h"

namespace kernelmill {
namespace {

constexpr std::string_view kKeys[] = {"task",     "code",      "message",           "id",
                                      "backend",  "model",     "attempt",           "turn",
                                      "sampling", "reasoning", "finish_reason",     "prompt_tokens",
                                      "logprobs", "prompt",    "completion_tokens", "retry"};
constexpr std::string_view kSamplingKeys[] = {"temperature", "top_p", "top_k", "max_tokens",
                                              "seed"};

// The names of all backends, for messages: "cuda" or "musa".
std::string QuotedBackends() {
  std::string text;
  for (const KernelBackend* backend : KernelBackends()) {
    text += (text.empty() ? "\"" : " or \"") + std::string(backend->name) + '"';
  }
  return text;
}

template <typename Keys>
void RefuseOtherKeys(const Json& object, const Keys& keys, std::string_view expected,
                     SampleFields* fields) {
  for (const auto& [key, value] : object.as_object()) {
    if (!IsOneOf(std::string_view(key), keys)) {
      fields->Fail("there is no key \"" + fields->Name(key) + "\": " + std::string(expected));
    }
  }
}

SamplingParameters SamplingOf(const Json& object, SampleFields* line) {
  SampleFields fields(object, "sampling.");
  RefuseOtherKeys(object, kSamplingKeys, "it can have temperature, top_p, top_k, max_tokens, seed",
                  &fields);
  SamplingParameters sampling;
  sampling.temperature = fields.Number("temperature");
  sampling.top_p = fields.Number("top_p");
  sampling.top_k = fields.Count("top_k");
  sampling.max_tokens = fields.Count("max_tokens");
  sampling.seed = fields.Count("seed");
  if (!fields.problem().empty()) line->Fail(fields.problem());
  return sampling;
}

std::vector<Message> MessagesOf(const Json& array, SampleFields* line) {
  std::vector<Message> messages;
  for (const Json& item : array.as_array()) {
    Result<Message> message = Message::FromJson(item);
    if (!message.ok()) {
      line->Fail("\"prompt\": " + message.status().message());
      break;
    }
    if (!IsChatRole(message->role)) {
      line->Fail(UnknownRole("prompt", message->role));
      break;
    }
    messages.push_back(std::move(message).value());
  }
  return messages;
}

void ReadAnswer(const Json& line, SampleFields* fields, ModelSample* sample) {
  std::string code = fields->Text("code"), message = fields->Text("message");
  const auto has = [&](std::string_view key) {
    const Json* const value = line.Find(key);
    return value != nullptr && !value->is_null();
  };
  if (has("code") == has("message")) {
    return fields->Fail(has("code") ? "it has both \"code\" and \"message\""
                                    : "it must have \"task\" and \"code\" or \"message\"");
  }
  sample->reasoning = fields->Text("reasoning");
  sample->code_only = has("code");
  if (sample->code_only) {
    sample->message = std::move(code);
  } else {
    SetMessage(std::move(message), sample);
  }
}

}  // namespace

bool IsPlainSample(const Json& line) {
  return line.Find("task") != nullptr &&
         (line.Find("code") != nullptr || line.Find("message") != nullptr);
}

ParsedSamples ParsePlainSample(const Json& line) {
  SampleFields fields(line);
  ModelSample sample;
  RefuseOtherKeys(line, kKeys,
                  "a line has \"task\", \"code\" or \"message\", and optionally id, attempt, turn, "
                  "retry, backend, model, sampling, reasoning, finish_reason, prompt_tokens, "
                  "completion_tokens, logprobs and prompt",
                  &fields);
  sample.task = fields.RequiredText("task");
  sample.id = fields.Text("id");
  sample.attempt = fields.Count("attempt");
  ReadAnswer(line, &fields, &sample);
  sample.turn = fields.Count("turn").value_or(1);
  if (sample.turn < 1) fields.Fail("\"turn\" counts from 1");
  sample.retry = fields.Text("retry");
  if (!sample.retry.empty() && !IsRetryName(sample.retry)) {
    fields.Fail("\"retry\" must be that of a repair prompt, " + std::to_string(kRetryDigits) +
                " hexadecimal digits");
  }
  if (const Json* backend = line.Find("backend"); backend != nullptr && !backend->is_null()) {
    sample.backend = backend->is_string() ? FindKernelBackend(backend->as_string()) : nullptr;
    if (sample.backend == nullptr) {
      fields.Fail("\"backend\" is " + backend->Dump() + ", it can be " + QuotedBackends());
    }
  }
  sample.model = fields.Text("model");
  if (const Json* sampling = fields.Object("sampling")) {
    sample.sampling = SamplingOf(*sampling, &fields);
  }
  sample.finish_reason = fields.Text("finish_reason");
  sample.prompt_tokens = fields.Count("prompt_tokens");
  sample.completion_tokens = fields.Count("completion_tokens");
  ReadLogProbContent(line.Find("logprobs"), nullptr, &sample);
  CheckLogProbLength(&sample);
  if (const Json* prompt = fields.Array("prompt")) sample.earlier = MessagesOf(*prompt, &fields);
  if (fields.problem().empty()) return {{std::move(sample)}, {}};
  return {{},
          {{.reason = "bad_sample",
            .detail = fields.problem(),
            .task = sample.task,
            .id = sample.id,
            .attempt = sample.attempt}}};
}

}  // namespace kernelmill
