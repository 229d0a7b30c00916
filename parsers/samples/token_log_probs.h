// Reads the log-probs of the tokens of a sample. Servers write them in two shapes; a file without
// them, or with log-probs that cannot be used, is no error: the sample says why it has none.
#pragma once

#include <string_view>

#include "manifests/json.h"
#include "parsers/samples/model_sample.h"

namespace kernelmill {

// [{"token", "logprob", "token_id"?}, …], as choices[].logprobs.content of OpenAI's API has it and
// plain lines do. vLLM's spelling of a token by its number, "token_id:1234", is its id. `ids` are
// the numbers of the same tokens, or null.
void ReadLogProbContent(const Json* content, const Json* ids, ModelSample* sample);

// [[log-prob, id, text or null], …], as SGLang has it.
void ReadLogProbTriples(const Json* triples, ModelSample* sample);

// To be called after one of these and after completion_tokens was read: compares the two, or fills
// in completion_tokens if the file does not say.
void CheckLogProbLength(ModelSample* sample);

}  // namespace kernelmill
