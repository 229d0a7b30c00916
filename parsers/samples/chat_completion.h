// Reads the body of a chat completion, as OpenAI's API, vLLM and SGLang return it: choices with
// message.content, the reasoning as message.reasoning or the older message.reasoning_content,
// logprobs.content, finish_reason, and usage.
#pragma once

#include <string>

#include "parsers/samples/sample_format.h"

namespace kernelmill {

// One sample or problem for each choice. `custom_id` names the request (custom_id.h); choice i of
// several is the attempt of that name (or 0) plus its index, and its id is "<custom_id>#<index>".
// `place` is put before the names of fields in problems: "response.body.".
ParsedSamples ParseChatCompletion(const Json& body, const std::string& custom_id,
                                  const std::string& place);

// A sample of the request `custom_id` with nothing else filled in.
ModelSample SampleOfRequest(const std::string& custom_id);
// A request without samples, with one problem.
ParsedSamples RequestProblem(const std::string& custom_id, std::string reason, std::string detail);
// A clause on the "error" of a reply, which is an object with a message, a text, or anything else.
std::string ErrorText(const Json& error);

}  // namespace kernelmill
