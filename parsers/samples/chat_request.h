// The body of a request for a chat completion, which a line of samples may have beside the answer
// as "request": what the model was asked and how it was sampled.
#pragma once

#include <string>

#include "parsers/samples/model_sample.h"
#include "parsers/samples/sample_fields.h"

namespace kernelmill {

// The names of a request's limit on the tokens of an answer: the present one and the former.
inline constexpr std::string_view kMostTokensKeys[] = {"max_completion_tokens", "max_tokens"};

// The roles that a message of a prompt can have, of OpenAI's API; a template need not know them
// all.
bool IsChatRole(std::string_view role);
// "there is no role \"x\": …", for the message at `place`.
std::string UnknownRole(std::string_view place, std::string_view role);

// Fills in `model`, `sampling` and `earlier` from the request that `fields` reads; problems are
// those of `fields`. The content of each message must be a text, and its role one of IsChatRole().
void ReadChatRequest(SampleFields* fields, ModelSample* sample);

}  // namespace kernelmill
