// Reads the file of an earlier run of `sample`: what is answered is settled and not asked for
// again, and what failed before it was answered is left out in the end.
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

// Writes the file anew without the failures whose samples other lines answer all: who reads it
// would take them for samples that are missing. The old file stays until the new one has its name.
// Does nothing if there are none.
Status DropAnsweredFailures(const AnswerFile& file);

}  // namespace kernelmill
