#include "generators/task_rows/repair_conversation.h"

#include "generators/feedback/repair_feedback.h"
#include "generators/wording/fenced_code.h"

namespace kernelmill {

RepairConversation WriteRepairConversation(const KnownTask& known, std::string_view backend,
                                           const std::vector<FailedAnswer>& tries,
                                           const Wording& wording) {
  RepairConversation conversation;
  conversation.prompt =
      WritePrompt({.family = Family::kTranslate, .backend = backend}, known, wording);
  std::vector<Message>& messages = conversation.messages;
  messages.push_back({"user", conversation.prompt.text});
  for (const FailedAnswer& failed : tries) {
    messages.push_back({"assistant", Fenced("python", failed.code)});
    messages.push_back({"user", RepairFeedback(*failed.verdict, conversation.prompt.language,
                                               known.WordingFor(failed.id, Family::kRepair))});
  }
  return conversation;
}

}  // namespace kernelmill
