// The conversation that asks a model to repair answers that failed: the task's question, then every
// failed answer with the feedback on its verdict. Repair rows (repair_rows.cc) and the prompts of
// retries (stages/retry/repair_prompt.h) are written by it, so that a model meets the same words in
// training and when it is asked.
#pragma once

#include <string_view>
#include <vector>

#include "corpora/records/verdict.h"
#include "generators/known_task/known_task.h"
#include "generators/prompts/write_prompt.h"

namespace kernelmill {

// An answer that failed. What it points to must outlive the call.
struct FailedAnswer {
  Digest id;  // Decides the wording of the feedback.
  std::string_view code;
  const Verdict* verdict = nullptr;
};

struct RepairConversation {
  Prompt prompt;  // Of the first message.
  // The question, then an assistant's message with each answer and a user's with its feedback. The
  // last one is the user's, which the repaired answer follows.
  std::vector<Message> messages;
};

// `tries` are in the order of the conversation, oldest first. `wording` decides the question's
// words. Pure.
RepairConversation WriteRepairConversation(const KnownTask& known, std::string_view backend,
                                           const std::vector<FailedAnswer>& tries,
                                           const Wording& wording);

}  // namespace kernelmill
