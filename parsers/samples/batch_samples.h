// The sample formats "openai" and "vllm": lines of a batch's output,
//   {"id", "custom_id", "response": {"status_code", "request_id", "body"}, "error"}
// with a chat completion as the body. The error is an object in OpenAI's API; vLLM has written
// objects and texts. Lines of `sample` have the body of the "request" too (chat_request.h).
#pragma once

#include "parsers/samples/sample_format.h"

namespace kernelmill {

bool IsOpenaiBatchLine(const Json& line);
bool IsVllmBatchLine(const Json& line);
ParsedSamples ParseBatchLine(const Json& line);

}  // namespace kernelmill
