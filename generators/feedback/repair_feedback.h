// The user turn of a repair row that follows a failed answer: the verdict in the form of a tool's
// output or of a person's report, with the request to repair the answer. Called by
// generators/task_rows/repair_rows.cc.
#pragma once

#include <string>

#include "corpora/records/verdict.h"
#include "generators/prompts/prompt_template.h"
#include "generators/wording/wording.h"

namespace kernelmill {

// The verdict together with the request to repair the answer.
std::string RepairFeedback(const Verdict& verdict, PromptLanguage language, const Wording& wording);

}  // namespace kernelmill
