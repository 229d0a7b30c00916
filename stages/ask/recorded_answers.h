// Reads the file of an earlier run of `sample`: what is answered is settled and not asked for
// again.
#pragma once

#include "stages/ask/answer_file.h"
#include "stages/ask/ask_run.h"
#include "stages/ask/prompt_list.h"

namespace kernelmill {

// Settles the attempts that the file answers, and those that the server has refused unless
// `ask_refused`, and fills in `summary->before`, `refused_before`, `others` and `file`. kUsage if
// `sample` did not write the file, or if an answer is one to another request than the prompt now
// asks; the message names the line and what differs.
Status ReadRecordedAnswers(const AnswerFile& file, bool ask_refused, PromptList* prompts,
                           AskSummary* summary);

}  // namespace kernelmill
