#include "stages/retry/repair_prompt.h"

#include <utility>

#include "corpora/records/sandbox_attack.h"
#include "generators/task_rows/repair_conversation.h"

namespace kernelmill {

Result<RepairPrompt> WriteRepairPrompt(const RetryEntry& entry, const KnownTask& known) {
  const std::string name = "the retry of task " + entry.key.task.Hex();
  if (known.id != entry.key.task) {
    return Status(ErrorCode::kInternal, name + " was given task " + known.id.Hex());
  }
  if (HasSandboxAttack(entry.verdict)) {
    return Status(ErrorCode::kInternal, name + " holds an attack on the sandbox");
  }
  // A second retry of the same answer is asked in other words.
  const Digest subject =
      Sha256().Field(entry.Sample().AsKey()).Field(std::to_string(entry.attempts)).Finish();
  RepairConversation conversation =
      WriteRepairConversation(known, entry.key.backend, {{subject, entry.code, &entry.verdict}},
                              known.WordingFor(subject, Family::kRepair));
  return RepairPrompt{std::move(conversation.prompt.name), std::move(conversation.messages)};
}

}  // namespace kernelmill
