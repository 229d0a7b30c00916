#include "stages/join/join_spec.h"

#include "stages/join/join_step.h"
#include "stages/verify/run/judge_keys.h"

namespace kernelmill {

StepSpec JoinSpec() {
  return {.name = "join",
          .takes = "samples of models",
          .does = "each is joined to its task; malformed lines and repeated samples are rejected",
          .reads = {"recall", "admit"},
          .make = [](const StepContext& context) -> Result<ReadyStep> {
            KM_ASSIGN(RunTasks tasks, RunTasks::Of(context.run));
            KM_ASSIGN(LeftOutTasks left_out, LeftOutTasksOf(context.run, context.config));
            auto step = std::make_unique<JoinStep>(std::move(tasks),
                                                   context.config.String(kJudgeBackendKey),
                                                   context.sources.previous, std::move(left_out));
            Run::Propose inputs = step->Inputs(context.sources.samples, context.wanted);
            return ReadyStep{std::move(step), std::move(inputs)};
          }};
}

}  // namespace kernelmill
