// Requests for samples: lines that a server answers with a model's attempts at a task. Their names
// (parsers/samples/custom_id.h) join the answers to the tasks when `verify` reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manifests/json.h"
#include "stages/pack/trainers/task_question.h"

namespace kernelmill {

struct SamplingOptions {
  std::string form = "openai";  // A name from SamplingForms().
  std::string model = "model";  // The name by which the server knows it.
  std::int64_t samples = 1;     // Of each question.
  // What is not set is left to the server.
  std::optional<double> temperature, top_p;
  std::optional<std::int64_t> max_tokens;
};

// The forms of requests.
//   openai           OpenAI's batch API: one line a question, which asks for `samples` choices
//   vllm             `vllm run-batch`: the same, and log-probs
//   sglang-generate  bodies for SGLang's /generate: one line a sample. The server applies no chat
//                    template, so a conversation is folded into one text.
//   sglang-chat      bodies for SGLang's /v1/chat/completions: one line a sample
// SGLang returns the "rid" of a request only where it asks for one sample.
const std::vector<std::string>& SamplingForms();

// `options.form` must be one of SamplingForms().
std::vector<Json::Object> RequestsOf(const TaskQuestion& question, const SamplingOptions& options);

}  // namespace kernelmill
