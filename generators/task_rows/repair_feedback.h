// What a conversation is told of an answer that failed: the verifier's diagnosis, as one tool or
// another prints it, or as somebody writes it down.
#pragma once

#include <string>

#include "corpora/records/verdict.h"
#include "generators/prompts/prompt_template.h"
#include "generators/wording/wording.h"

namespace kernelmill {

// With the request to mend it.
std::string RepairFeedback(const Verdict& verdict, PromptLanguage language, const Wording& wording);

}  // namespace kernelmill
