// Separates the reasoning of a model from its message, where a server leaves it in the text.
#pragma once

#include <string>

#include "parsers/samples/model_sample.h"

namespace kernelmill {

// Splits `text` into the sample's reasoning and message: what stands before the last </think> is
// reasoning, also without a <think>, which many chat templates put into the prompt. A text that
// begins with <think> and never closes it is reasoning that was cut. Reasoning that the sample
// already has comes first.
void SetMessage(std::string text, ModelSample* sample);

}  // namespace kernelmill
