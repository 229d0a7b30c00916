// The prompt of a slot that is a retry: the task's question, the failed answer of the entry, and
// the feedback on its verdict with the request to repair it, in the words of repair rows
// (generators/task_rows/repair_conversation.h).
#pragma once

#include <string>
#include <vector>

#include "generators/known_task/known_task.h"
#include "stages/retry/retry_entry.h"

namespace kernelmill {

struct RepairPrompt {
  std::string prompt_template;    // The name of the wording of the question.
  std::vector<Message> messages;  // user, assistant, user.
};

// `known` is the task of the entry, with its annotation; no candidate of it is used. The words
// depend on the task, the sample of the entry, how often it was retried, and the seed of `known`.
// A fallback is named in the feedback with what to do instead. Feedback of more than about 2,000
// tokens is cut; the question and the code are not, so the caller compares the whole with its
// budget.
//
// Pure. Errors: kInternal when `known` is another task, or the entry holds an attack.
Result<RepairPrompt> WriteRepairPrompt(const RetryEntry& entry, const KnownTask& known);

}  // namespace kernelmill
