// The sample format "plain": JSON lines of ours, which can hold all that a ModelSample holds.
//
//   task               required: the name of the task
//   code | message     one of them is required: the code alone, or the whole answer
//   id, backend, model, reasoning, finish_reason       text
//   attempt, turn, prompt_tokens, completion_tokens    integers; turns count from 1
//   sampling           {"temperature", "top_p", "top_k", "max_tokens", "seed"}
//   logprobs           [{"token", "logprob", "token_id"?}, …]
//   retry              the "retry" of the repair prompt that it answers (custom_id.h)
//   prompt             [{"role", "content"}, …]: the messages before the answer
//
// Another key is refused, because a misspelled one would be ignored otherwise.
#pragma once

#include "parsers/samples/sample_format.h"

namespace kernelmill {

bool IsPlainSample(const Json& line);
ParsedSamples ParsePlainSample(const Json& line);

}  // namespace kernelmill
