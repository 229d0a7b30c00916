#include "stages/verify/judge/judge_identity.h"

#include "stages/engine/tool_identity.h"
#include "stages/verify/judge/cpu_judge.h"
#include "stages/worker/instruction_set.h"

namespace kernelmill {

Result<Digest> JudgeIdentity() {
  KM_ASSIGN(const ToolIdentity tool, ReadToolIdentity());
  KM_ASSIGN(const std::string executor, ExecutorKey());
  return Sha256()
      .Field("judge 1")
      .Field(tool.digest.Hex())
      .Field(executor)
      .Field(InstructionSet())
      .Finish();
}

}  // namespace kernelmill
