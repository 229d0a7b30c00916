#include "generators/task_rows/repair_conversation.h"

#include "generators/feedback/repair_feedback.h"
#include "generators/wording/fenced_code.h"

namespace kernelmill {

RepairConversation WriteRepairConversation(const KnownTask& known, std::string_view backend,
                                           const std::vector<FailedAnswer>& tries,
                                           const Wording& wording) {
  RepairConversation conversation;
  conversation.prompt = WritePrompt(
      {.family = Family::kTranslate, .backend = backend, .may_be_chinese = false}, known, wording);
  conversation.messages = conversation.prompt.Messages();
  std::vector<Message>& messages = conversation.messages;
  for (const FailedAnswer& failed : tries) {
    messages.push_back({"assistant", Fenced("python", failed.code)});
    messages.push_back({"user", RepairFeedback(*failed.verdict, conversation.prompt.language,
                                               known.WordingFor(failed.id, Family::kRepair))});
  }
  return conversation;
}

}  // namespace kernelmill
