// The sample format "sglang": lines with replies of SGLang's servers,
//   {"text", "meta_info": {"id", "finish_reason": {"type"}, "prompt_tokens", "completion_tokens",
//    "output_token_logprobs": [[log-prob, id, text], …]}}                 from /generate,
//   {"id", "object": "chat.completion", "choices", "usage"}                from
//   /v1/chat/completions.
// Either can also stand in {"custom_id" or "rid", "response"}, the replies for n > 1 as an array.
// Without a custom_id, the id of the reply names the request: it is the "rid" that was sent.
#pragma once

#include "parsers/samples/sample_format.h"

namespace kernelmill {

bool IsSglangReply(const Json& line);
ParsedSamples ParseSglangReply(const Json& line);

}  // namespace kernelmill
